#!/bin/sh
# The numbers of docs/benchmarks.md: warm start to ready, commands, submit to code, memory. Starts a mesh of its own.
# Usage: benchmarks/first-numbers.sh [jobs]     (BERTH_PORT_BASE names its ports, default 7900)
set -eu
berth=$(dirname "$0")/../berth
BERTH_HOME=$(mktemp -d)
BERTH_PORT_BASE=${BERTH_PORT_BASE:-7900}
export BERTH_HOME BERTH_PORT_BASE
trap '"$berth" down >/dev/null 2>&1 || :; rm -rf "$BERTH_HOME"' EXIT INT TERM

seconds() {
    since=$(date +%s%N)
    "$@" >/dev/null
    now=$(date +%s%N)
    echo "$(((now - since) / 1000000)) ms   $*"
}

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
echo "machine: $(nproc) CPUs, $(uname -sm), $(date -u +%Y-%m-%d), load $(cut -d' ' -f1 /proc/loadavg)"
"$berth" version >/dev/null
echo "first start (new home)"
seconds "$berth" up --detach
"$berth" down >/dev/null
echo "start again"
seconds "$berth" up --detach
echo "commands"
for command in sinfo squeue sacct; do
    "$berth" $command >/dev/null
    seconds "$berth" $command
    seconds "$berth" $command
done
"$java" "$(dirname "$0")/SubmitLatency.java" "${1:-200}"
"$berth" status
