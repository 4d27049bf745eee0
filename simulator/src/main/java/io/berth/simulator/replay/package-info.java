/// A cell's own log, done again and compared.
@NullMarked
package io.berth.simulator.replay;

import org.jspecify.annotations.NullMarked;
