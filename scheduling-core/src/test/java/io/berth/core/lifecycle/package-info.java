@NullMarked
package io.berth.core.lifecycle;

import org.jspecify.annotations.NullMarked;
