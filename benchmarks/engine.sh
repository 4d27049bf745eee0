#!/bin/sh
# The engine's costs of docs/benchmarks.md, by JMH. Needs a build: ./berth test, or any command of ./berth. Arguments go to JMH: a pattern of names, -p mix=WILD, -p pending=1000000.
# Usage: benchmarks/engine.sh [arguments of JMH]
set -eu
target=$(dirname "$0")/target
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
echo "machine: $(nproc) CPUs, $(uname -sm), $(date -u +%Y-%m-%d), load $(cut -d' ' -f1 /proc/loadavg)"
exec "$java" -cp "$target/classes:$target/lib/*" org.openjdk.jmh.Main "${@:-EngineBenchmark}"
