/// How scripts come into containers.
@NullMarked
package io.berth.agent.container;

import org.jspecify.annotations.NullMarked;
