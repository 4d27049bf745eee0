/// How GPUs are split by MIG.
@NullMarked
package io.berth.core.mig;

import org.jspecify.annotations.NullMarked;
