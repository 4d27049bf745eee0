/// On which node, and on which of its GPUs, an arriving job leaves the most room for those that
/// follow.
@NullMarked
package io.berth.core.packing;

import org.jspecify.annotations.NullMarked;
