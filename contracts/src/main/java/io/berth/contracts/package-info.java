/// Ids, quantities and the values that events are made of.
@NullMarked
package io.berth.contracts;

import org.jspecify.annotations.NullMarked;
