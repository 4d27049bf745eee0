/// The log on Kafka, by hand where the services need it so: topics declared by their writer, events
/// written with explicit partitions, partitions read from any offset to the end. With it stands
/// what all services have in common: settings of their JVM, connections and requests.
@NullMarked
package io.berth.log;

import org.jspecify.annotations.NullMarked;
