@NullMarked
package io.berth.agent.launch;

import org.jspecify.annotations.NullMarked;
