@NullMarked
package io.berth.agent.host;

import org.jspecify.annotations.NullMarked;
