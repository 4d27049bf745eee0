package io.berth.accounting;

import io.berth.log.Failures;
import org.apache.kafka.common.KafkaException;

/// Why something failed, in one line.
final class Causes {

    private Causes() {}

    /// The innermost cause's name and the first line of its message; of the log's, all.
    static String words(Throwable e) {
        if (e instanceof KafkaException) {
            return Failures.words(e);
        }
        Throwable innermost = e;
        while (innermost.getCause() != null) {
            innermost = innermost.getCause();
        }
        return innermost.toString().lines().findFirst().orElse("unknown");
    }
}
