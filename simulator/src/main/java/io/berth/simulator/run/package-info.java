/// Traces in virtual time, decided by the live engine.
@NullMarked
package io.berth.simulator.run;

import org.jspecify.annotations.NullMarked;
