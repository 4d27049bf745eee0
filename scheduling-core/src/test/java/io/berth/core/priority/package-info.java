@NullMarked
package io.berth.core.priority;

import org.jspecify.annotations.NullMarked;
