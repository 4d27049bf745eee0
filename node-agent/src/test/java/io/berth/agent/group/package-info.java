@NullMarked
package io.berth.agent.group;

import org.jspecify.annotations.NullMarked;
