#!/bin/sh
# Mutation testing of the core (PIT): changes one thing of its code after the other, and tells for which of them no test fails. It takes an hour or two
# of processor time for everything, so name a package. The report: scheduling-core/target/pit-reports/index.html.
# Usage: benchmarks/mutation.sh [CLASSES], as 'io.berth.core.limits.*'
set -eu
cd "$(dirname "$0")/.."
exec nice -n 19 mvn -B -ntp -P mutation -pl contracts,scheduling-core "-Dmutated=${1:-io.berth.core.*}" process-test-classes
