/// Commands, and whole meshes.
@NullMarked
package io.berth.standalone;

import org.jspecify.annotations.NullMarked;
