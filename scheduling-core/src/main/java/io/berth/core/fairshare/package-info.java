/// Fair share: Slurm's Fair Tree, in integers.
@NullMarked
package io.berth.core.fairshare;

import org.jspecify.annotations.NullMarked;
