@NullMarked
package io.berth.simulator;

import org.jspecify.annotations.NullMarked;
