/// A façade in the shape of `slurmrestd`, for programs that speak to Slurm.
@NullMarked
package io.berth.submit.restd;

import org.jspecify.annotations.NullMarked;
