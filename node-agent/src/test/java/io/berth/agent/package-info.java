@NullMarked
package io.berth.agent;

import org.jspecify.annotations.NullMarked;
