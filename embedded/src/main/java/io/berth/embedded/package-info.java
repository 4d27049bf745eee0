/// A Kafka broker and a PostgreSQL server for one machine, on loopback only: what `berth up` and
/// the tests run on.
@NullMarked
package io.berth.embedded;

import org.jspecify.annotations.NullMarked;
