/// The placement service: the single writer of decisions of a cell, as a loop of decide, append,
/// replay.
@NullMarked
package io.berth.placement;

import org.jspecify.annotations.NullMarked;
