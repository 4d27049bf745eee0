/// Triggers: programs that run when something happens to a job or a node.
@NullMarked
package io.berth.submit.trigger;

import org.jspecify.annotations.NullMarked;
