/// Tests of what placement reads and writes.
@NullMarked
package io.berth.placement.kafka;

import org.jspecify.annotations.NullMarked;
