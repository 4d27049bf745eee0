@NullMarked
package io.berth.core.request;

import org.jspecify.annotations.NullMarked;
