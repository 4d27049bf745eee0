#!/bin/bash
# What a step of srun costs in a script's process: the median processor time and time from start to end. In the script of a
# job it asks the agent of its node, which makes groups, and binds tasks to the job's GPUs, if it has some. Elsewhere there is none to ask, and the tasks are started by the
# shell and, where a build has compiled it for this machine, by the program.
#
#   benchmarks/steps.sh [TIMES [PID]]     TIMES: how often each is measured, 15 unless told
#                                         PID: the agent's, of whose processor time each step's part is told too
set -euo pipefail
times=${1:-15}
pid=${2-}
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

# How srun is called.
call() {
    way=$1
    shift
    case $way in
    agent) srun --overlap "$@" true ;;
    *)
        env -i PATH="$work/$way:/usr/bin:/bin" BERTH_STEPS="$work/steps" SLURM_JOB_ID=7 SLURM_JOB_NUM_NODES=1 SLURM_NTASKS=1 \
            SLURMD_NODENAME="$(hostname)" srun "$@" true
        ;;
    esac
}

# In milliseconds: processor time, and time from start to end.
measure() {
    TIMEFORMAT='%U %S %R'
    { time call "$@"; } 2>&1 | awk 'NF != 3 { print "steps.sh: " $0 > "/dev/stderr"; exit 1 }
        { print ($1 + $2) * 1000, $3 * 1000 }'
}

median() {
    cut -d' ' -f"$1" <<<"$2" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

# The processor time of the agent, in hundredths of a second.
used() {
    [ -z "$pid" ] || sed 's/.*) //' "/proc/$pid/stat" | awk '{ print $12 + $13 }'
}

printf '%d CPUs, load %s, the median of %d\n' "$(nproc)" "$(cut -d' ' -f1 /proc/loadavg)" "$times"
ways='shell program'
[ -z "${SLURM_JOB_ID-}" ] || ways=agent
kinds=(-n1 -n2 -n64 "-n64 --cpu-bind=threads" "-n64 -l")
[ -z "${SLURM_JOB_GPUS-}" ] ||
    kinds+=("-n64 --gpu-bind=single:1" "-n64 --gpu-bind=single:1 --cpu-bind=map_cpu:0" "-n64 --gpu-bind=closest")
for options in "${kinds[@]}"; do
    for way in $ways; do
        [ "$way" != program ] || [ -e "$program" ] || continue
        before=$(used)
        # shellcheck disable=SC2086
        all=$(for ((i = 0; i < times; i++)); do measure "$way" $options || exit; done)
        printf 'srun %-52s by the %-8s %5.0f ms of processor time %6.0f ms from start to end%s\n' \
            "$options" "$way" "$(median 1 "$all")" "$(median 2 "$all")" \
            "${pid:+, $((($(used) - before) * 10 / times)) ms of the agent}"
    done
done
