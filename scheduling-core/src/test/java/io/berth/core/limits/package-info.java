@NullMarked
package io.berth.core.limits;

import org.jspecify.annotations.NullMarked;
