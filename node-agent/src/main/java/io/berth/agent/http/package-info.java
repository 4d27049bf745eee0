/// What a person on the node may ask the agent.
@NullMarked
package io.berth.agent.http;

import org.jspecify.annotations.NullMarked;
