@NullMarked
package io.berth.core.packing;

import org.jspecify.annotations.NullMarked;
