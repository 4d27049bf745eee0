/// Tests of the states of GPUs.
@NullMarked
package io.berth.agent.gpu;

import org.jspecify.annotations.NullMarked;
