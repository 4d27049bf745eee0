/// Tests of the option language, many of them over outputs of a real Slurm.
@NullMarked
package io.berth.slurm;

import org.jspecify.annotations.NullMarked;
