@NullMarked
package io.berth.core.preemption;

import org.jspecify.annotations.NullMarked;
