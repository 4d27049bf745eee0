/// The supervisor, part by part.
@NullMarked
package io.berth.standalone.mesh;

import org.jspecify.annotations.NullMarked;
