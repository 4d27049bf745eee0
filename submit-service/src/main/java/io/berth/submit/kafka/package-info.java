/// The gateway's ends of the log: what it writes, and the view that its picture is read from.
@NullMarked
package io.berth.submit.kafka;

import org.jspecify.annotations.NullMarked;
