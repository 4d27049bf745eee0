/// Tests of the two ends of an interactive run.
@NullMarked
package io.berth.slurm.session;

import org.jspecify.annotations.NullMarked;
