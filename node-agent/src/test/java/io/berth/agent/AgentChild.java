package io.berth.agent;

import io.berth.log.KafkaConnection;
import java.nio.file.Path;

/// An agent in a JVM of its own, for tests that kill it.
final class AgentChild {

    private AgentChild() {}

    public static void main(String[] arguments) throws Exception {
        TestConfig config = TestConfig.host(Path.of(arguments[1]), arguments[2], arguments[3]);
        try (var _ = AgentRig.start(config, new KafkaConnection(arguments[0]))) {
            Thread.currentThread().join();
        }
    }
}
