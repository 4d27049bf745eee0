/// The topics that accounting reads and writes.
@NullMarked
package io.berth.accounting.kafka;

import org.jspecify.annotations.NullMarked;
