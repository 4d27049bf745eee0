@NullMarked
package io.berth.client;

import org.jspecify.annotations.NullMarked;
