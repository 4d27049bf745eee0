package io.berth.agent;

import io.berth.log.KafkaConnection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// An agent in a JVM of its own, for tests that kill it.
final class AgentChild {

    private AgentChild() {}

    /// @param groups that it is in, which are made
    static Process start(TestConfig config, Path log, List<Path> groups) throws IOException {
        var command =
                new ArrayList<>(
                        List.of(
                                "sh",
                                "-e",
                                "-c",
                                "for group in $1; do mkdir $group; echo $$ >$group/cgroup.procs; done; shift; exec \"$@\"",
                                "sh"));
        command.add(groups.stream().map(Path::toString).collect(Collectors.joining(" ")));
        command.addAll(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        AgentChild.class.getName(),
                        TestBroker.unbound().bootstrapServers(),
                        config.home().toString(),
                        config.name().orElseThrow(),
                        config.cgroupParent()));
        if (config.gpuProfile().isEmpty()) {
            command.add(config.nvmlLibrary());
        }
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[1]);
        TestConfig config =
                arguments.length == 4
                        ? TestConfig.host(home, arguments[2], arguments[3])
                        : TestConfig.found(home, arguments[2], arguments[4], arguments[3]);
        try (var _ = AgentRig.start(config, new KafkaConnection(arguments[0]))) {
            Thread.currentThread().join();
        }
    }
}
