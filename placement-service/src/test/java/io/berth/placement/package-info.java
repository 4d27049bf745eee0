@NullMarked
package io.berth.placement;

import org.jspecify.annotations.NullMarked;
