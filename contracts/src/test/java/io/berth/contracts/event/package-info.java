@NullMarked
package io.berth.contracts.event;

import org.jspecify.annotations.NullMarked;
