@NullMarked
package io.berth.simulator.pack;

import org.jspecify.annotations.NullMarked;
