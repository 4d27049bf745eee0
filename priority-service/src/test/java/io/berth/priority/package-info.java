@NullMarked
package io.berth.priority;

import org.jspecify.annotations.NullMarked;
