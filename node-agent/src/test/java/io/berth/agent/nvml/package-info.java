/// Tests against a management library of our own.
@NullMarked
package io.berth.agent.nvml;

import org.jspecify.annotations.NullMarked;
