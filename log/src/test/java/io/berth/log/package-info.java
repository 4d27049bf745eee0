@NullMarked
package io.berth.log;

import org.jspecify.annotations.NullMarked;
