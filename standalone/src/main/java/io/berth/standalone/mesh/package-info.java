/// A mesh on this machine: its home, its parts as processes, and the supervisor that starts them,
/// starts again what dies, and stops them in order.
@NullMarked
package io.berth.standalone.mesh;

import org.jspecify.annotations.NullMarked;
