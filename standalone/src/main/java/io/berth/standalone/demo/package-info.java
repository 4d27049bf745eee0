/// `berth demo`: four users contend for eight GPUs on a mesh of its own, and the books are checked.
@NullMarked
package io.berth.standalone.demo;

import org.jspecify.annotations.NullMarked;
