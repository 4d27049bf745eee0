/// The priority of jobs: Slurm's multifactor formula, in integers.
@NullMarked
package io.berth.core.priority;

import org.jspecify.annotations.NullMarked;
