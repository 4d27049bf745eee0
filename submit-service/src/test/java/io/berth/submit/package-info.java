@NullMarked
package io.berth.submit;

import org.jspecify.annotations.NullMarked;
