#!/bin/bash
# What a step of srun costs in a script's process, without an agent to ask: the median processor time and time from
# start to end, with the tasks started by the shell and, where a build has compiled it for this machine, by the program.
#
#   benchmarks/steps.sh [TIMES]     TIMES: how often each is measured, 15 unless told
set -euo pipefail
times=${1:-15}
agent=$(cd "$(dirname "$0")/../node-agent" && pwd)
sources=$agent/src/main/resources/io/berth/agent/launch
program=$agent/target/classes/io/berth/agent/launch/srun-tasks-$(uname -m)
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
mkdir "$work/steps" "$work/shell" "$work/program"
for way in shell program; do
    install -m 755 "$sources"/srun "$sources"/srun-*.sh "$work/$way"
done
[ ! -e "$program" ] || install -m 755 "$program" "$work/program/srun-tasks"

# In milliseconds: processor time, and time from start to end.
measure() {
    way=$1
    shift
    TIMEFORMAT='%U %S %R'
    { time env -i PATH="$work/$way:/usr/bin:/bin" BERTH_STEPS="$work/steps" SLURM_JOB_ID=7 SLURM_JOB_NUM_NODES=1 SLURM_NTASKS=1 \
        SLURMD_NODENAME="$(hostname)" srun "$@" true; } 2>&1 | awk 'NF != 3 { print "steps.sh: " $0 > "/dev/stderr"; exit 1 }
        { print ($1 + $2) * 1000, $3 * 1000 }'
}

median() {
    cut -d' ' -f"$1" <<<"$2" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

printf '%d CPUs, load %s, the median of %d\n' "$(nproc)" "$(cut -d' ' -f1 /proc/loadavg)" "$times"
for options in -n1 -n64 '-n64 -l'; do
    for way in shell program; do
        [ "$way" = shell ] || [ -e "$program" ] || continue
        # shellcheck disable=SC2086
        all=$(for ((i = 0; i < times; i++)); do measure "$way" $options || exit; done)
        printf 'srun %-8s by the %-8s %5.0f ms of processor time %6.0f ms from start to end\n' \
            "$options" "$way" "$(median 1 "$all")" "$(median 2 "$all")"
    done
done
