/// Filling a cluster one arrival at a time.
@NullMarked
package io.berth.simulator.pack;

import org.jspecify.annotations.NullMarked;
