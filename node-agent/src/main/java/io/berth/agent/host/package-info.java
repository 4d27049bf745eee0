/// What the machine is, as the kernel tells it, and the nodes that an agent stands for.
@NullMarked
package io.berth.agent.host;

import org.jspecify.annotations.NullMarked;
