/// How the placement loop reads its inputs, writes its rounds and finds its state again.
@NullMarked
package io.berth.placement.kafka;

import org.jspecify.annotations.NullMarked;
