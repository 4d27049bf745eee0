/// Which waiting job starts now, and on which CPUs and GPUs of which nodes.
@NullMarked
package io.berth.core.placement;

import org.jspecify.annotations.NullMarked;
