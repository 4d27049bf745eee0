@NullMarked
package io.berth.contracts;

import org.jspecify.annotations.NullMarked;
