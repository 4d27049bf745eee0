#!/bin/sh
# A sweep without job arrays: one job for each rate. Prints the job ids.
here=$(dirname "$0")
for rate in 0.3 0.1 0.03 0.01; do
    "$here/../berth" sbatch --parsable --export="ALL,RATE=$rate" --job-name="sweep-$rate" "$here/sweep.sbatch" || exit
done
