/// Doing again what a cell decided: rounds and snapshots as they are kept, and read.
@NullMarked
package io.berth.core.replay;

import org.jspecify.annotations.NullMarked;
