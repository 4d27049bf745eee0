/// The supervisor, part by part, and whole meshes.
@NullMarked
package io.berth.standalone;

import org.jspecify.annotations.NullMarked;
