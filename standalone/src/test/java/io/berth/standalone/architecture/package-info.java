/// The laws of the code of all modules.
@NullMarked
package io.berth.standalone.architecture;

import org.jspecify.annotations.NullMarked;
