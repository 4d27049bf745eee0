@NullMarked
package io.berth.simulator.run;

import org.jspecify.annotations.NullMarked;
