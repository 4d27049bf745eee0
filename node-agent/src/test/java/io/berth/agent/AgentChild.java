package io.berth.agent;

import io.berth.agent.host.SystemFiles;
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
        return start(SystemFiles.HERE, config, log, groups);
    }

    /// The same on a machine of which the kernel tells in these files.
    static Process start(SystemFiles machine, TestConfig config, Path log, List<Path> groups)
            throws IOException {
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
                        config.cgroupParent(),
                        machine.root().toString()));
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
                arguments.length == 5
                        ? TestConfig.host(home, arguments[2], arguments[3])
                        : TestConfig.found(home, arguments[2], arguments[5], arguments[3]);
        var machine = new SystemFiles(Path.of(arguments[4]));
        try (var _ = AgentRig.start(machine, config, new KafkaConnection(arguments[0]))) {
            Thread.currentThread().join();
        }
    }
}
