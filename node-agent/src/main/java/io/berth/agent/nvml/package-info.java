/// NVIDIA's management library, as far as an agent needs it: what GPUs there are, what they do, and
/// their errors.
@NullMarked
package io.berth.agent.nvml;

import org.jspecify.annotations.NullMarked;
