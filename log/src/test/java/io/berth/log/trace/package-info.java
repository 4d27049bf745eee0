@NullMarked
package io.berth.log.trace;

import org.jspecify.annotations.NullMarked;
