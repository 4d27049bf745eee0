/// What a cell knows: its state, what comes in, and the facts that change it.
@NullMarked
package io.berth.core.state;

import org.jspecify.annotations.NullMarked;
