@NullMarked
package io.berth.core.simulation;

import org.jspecify.annotations.NullMarked;
