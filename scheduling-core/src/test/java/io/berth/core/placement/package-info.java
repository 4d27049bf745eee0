@NullMarked
package io.berth.core.placement;

import org.jspecify.annotations.NullMarked;
