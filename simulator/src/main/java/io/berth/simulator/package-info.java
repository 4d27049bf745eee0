/// The simulator: the engine's own code on virtual time and on public traces.
@NullMarked
package io.berth.simulator;

import org.jspecify.annotations.NullMarked;
