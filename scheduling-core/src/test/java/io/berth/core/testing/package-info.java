/// Cells, nodes and jobs for tests.
@NullMarked
package io.berth.core.testing;

import org.jspecify.annotations.NullMarked;
