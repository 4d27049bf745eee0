@NullMarked
package io.berth.core.state;

import org.jspecify.annotations.NullMarked;
