#!/bin/bash
# How large the process of an agent is, and by what.
#
#   benchmarks/agent-size.sh PID [SECONDS]     PID: the agent's, which `berth status` tells
#
# With SECONDS, as root, also how much of it was used in that time.
set -euo pipefail
pid=${1:?the number of the process of an agent}
if [ $# -gt 1 ]; then
    echo 1 >"/proc/$pid/clear_refs"
    sleep "$2"
fi
awk '/^(Rss|Pss|Shared_Clean|Private_Clean|Private_Dirty|Referenced):/ { printf "%-14s %6.1f MiB\n", $1, $2 / 1024 }' "/proc/$pid/smaps_rollup"

# By mapping: how much of it is resident, of that how much was written, and how much was used. Of the program's own file by rights.
awk -v program="$(readlink "/proc/$pid/exe")" '
    /^[0-9a-f]+-[0-9a-f]+ / {
        name = $6 == "" ? "no file" : $6
        if (name == program) name = name " " $2
        sub(/.*\//, "", name)
        if (name ~ /\.jar$/) name = "jars"
        if ($6 == "" && $2 ~ /x/) name = "compiled code"
    }
    $1 == "Rss:" { resident[name] += $2 }
    $1 == "Private_Dirty:" { written[name] += $2 }
    $1 == "Referenced:" { used[name] += $2 }
    END {
        for (name in resident)
            if (resident[name] >= 512) printf "%8.1f %8.1f %8.1f  %s\n", resident[name] / 1024, written[name] / 1024, used[name] / 1024, name
    }' "/proc/$pid/smaps" | sort -rn | sed '1i resident  written     used'
