/// Limits of associations and QOS on what jobs may use.
@NullMarked
package io.berth.core.limits;

import org.jspecify.annotations.NullMarked;
