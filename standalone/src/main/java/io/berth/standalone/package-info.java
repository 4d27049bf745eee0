/// The commands of the mesh itself: `up`, `down`, `status` and `demo`.
@NullMarked
package io.berth.standalone;

import org.jspecify.annotations.NullMarked;
