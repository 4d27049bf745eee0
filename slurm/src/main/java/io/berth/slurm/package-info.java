/// Slurm's option language: what people write in `#SBATCH` lines and on the command line, and the
/// job submission that it means.
@NullMarked
package io.berth.slurm;

import org.jspecify.annotations.NullMarked;
