/// The agent's side of the log: orders in, reports out.
@NullMarked
package io.berth.agent.kafka;

import org.jspecify.annotations.NullMarked;
