/// The events of every topic: one sealed interface (or one record) a topic.
@NullMarked
package io.berth.contracts.event;

import org.jspecify.annotations.NullMarked;
