#!/bin/sh
# The engine's costs of docs/benchmarks.md in processor time, for a busy machine. Needs a build: ./berth test, or any command of ./berth.
# Usage: benchmarks/engine-cost.sh PLAIN|WILD NODES PENDING [PASSES [PACKING]]
#        benchmarks/engine-cost.sh cases
set -eu
target=$(dirname "$0")/target
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
case ${1:-} in
    cases) main=CasesCost ;;
    *) main=EngineCost ;;
esac
exec "$java" -Xmx6g -XX:+UseParallelGC -cp "$target/classes:$target/lib/*" "io.berth.benchmarks.$main" "$@"
