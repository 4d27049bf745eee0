@NullMarked
package io.berth.core.engine;

import org.jspecify.annotations.NullMarked;
