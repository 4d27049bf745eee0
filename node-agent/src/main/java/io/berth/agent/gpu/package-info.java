/// The state of GPUs: what their errors mean, when one is put aside, and how it comes back.
@NullMarked
package io.berth.agent.gpu;

import org.jspecify.annotations.NullMarked;
