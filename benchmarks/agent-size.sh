#!/bin/bash
# How large the process of an agent is, and by what.
#
#   benchmarks/agent-size.sh PID     PID: the agent's, which `berth status` tells
set -euo pipefail
pid=${1:?the number of the process of an agent}
awk '/^(Rss|Pss|Shared_Clean|Private_Clean|Private_Dirty):/ { printf "%-14s %6.1f MiB\n", $1, $2 / 1024 }' "/proc/$pid/smaps_rollup"

# By mapping: how much of it is resident, and of that how much was written.
awk '
    /^[0-9a-f]+-[0-9a-f]+ / {
        name = $6 == "" ? "no file" : $6
        sub(/.*\//, "", name)
        if (name ~ /\.jar$/) name = "jars"
        if ($6 == "" && $2 ~ /x/) name = "compiled code"
    }
    $1 == "Rss:" { resident[name] += $2; all += $2 }
    $1 == "Private_Dirty:" { written[name] += $2 }
    END {
        for (name in resident)
            if (resident[name] >= 512) printf "%8.1f %8.1f  %s\n", resident[name] / 1024, written[name] / 1024, name
    }' "/proc/$pid/smaps" | sort -rn | sed '1i resident  written'
