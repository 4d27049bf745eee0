package io.berth.agent;

import static org.awaitility.Awaitility.await;

import io.berth.agent.NodeOrders.Standing;
import io.berth.agent.host.SystemFiles;
import io.berth.contracts.RunId;
import io.berth.log.KafkaConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/// One node with its agent, against placement by hand.
final class AgentRig implements AutoCloseable {

    private static final AtomicInteger NODES = new AtomicInteger();

    final String node;
    final Path work;
    final TestConfig config;
    final HandPlacement placement;
    final AgentProcess process;

    AgentRig(Path folder) throws IOException, InterruptedException {
        this(folder, TestBroker.shared(), TestBroker.placement());
    }

    AgentRig(Path folder, KafkaConnection connection, HandPlacement placement)
            throws IOException, InterruptedException {
        this(
                folder,
                TestConfig.host(folder.resolve("home"), newNode()),
                SystemFiles.HERE,
                connection,
                placement);
    }

    AgentRig(Path folder, TestConfig config) throws IOException, InterruptedException {
        this(folder, config, SystemFiles.HERE);
    }

    /// On a machine of which the kernel tells in these files.
    AgentRig(Path folder, TestConfig config, SystemFiles files)
            throws IOException, InterruptedException {
        this(folder, config, files, TestBroker.shared(), TestBroker.placement());
    }

    private AgentRig(
            Path folder,
            TestConfig config,
            SystemFiles files,
            KafkaConnection connection,
            HandPlacement placement)
            throws IOException, InterruptedException {
        this.work = Files.createDirectories(folder.resolve("work"));
        this.config = config;
        this.node = config.name().orElseThrow();
        this.placement = placement;
        this.process = start(files, config, connection);
    }

    /// With an agent that runs scripts under accounts; the folder for work is that user's.
    static AgentRig runningAs(String user, Path folder) throws IOException, InterruptedException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Path home = Files.createDirectories(folder.resolve("home"));
        Files.createFile(home.resolve("run-as-user"));
        var rig = new AgentRig(folder, TestConfig.host(home, newNode()));
        var users = rig.work.getFileSystem().getUserPrincipalLookupService();
        Files.setOwner(rig.work, users.lookupPrincipalByName(user));
        rig.placement.register(rig.node);
        return rig;
    }

    static String newNode() {
        return "node" + NODES.incrementAndGet();
    }

    static AgentProcess start(AgentConfig config, KafkaConnection connection)
            throws IOException, InterruptedException {
        return start(SystemFiles.HERE, config, connection);
    }

    static AgentProcess start(SystemFiles files, AgentConfig config, KafkaConnection connection)
            throws IOException, InterruptedException {
        return new AgentProcess(
                files, config, "test", connection, TestTopics.DECLARATIONS, _ -> {});
    }

    NodeAgent agent() {
        return process.agents().getFirst();
    }

    String gpu(int index) {
        return agent().node().inventory().gpus().get(index).uuid();
    }

    String output(RunId run) throws IOException {
        return Files.readString(work.resolve("slurm-" + run.job() + ".out"));
    }

    /// Waits until nothing of a run is left in the spool.
    void awaitForgotten() {
        await().atMost(Duration.ofSeconds(60)).until(() -> agent().runs().isEmpty());
    }

    /// Answers the node's registrations until it has an epoch: on a busy machine the first answer
    /// may come after it has asked again.
    void awaitEpoch() {
        var answered = new AtomicInteger();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> {
                    if (placement.registrations(node).size() > answered.get()) {
                        answered.incrementAndGet();
                        placement.register(node);
                    }
                    return agent().status().standing() == Standing.IN_EPOCH;
                });
    }

    void awaitStanding(Standing standing) {
        await().atMost(Duration.ofSeconds(60)).until(() -> agent().status().standing() == standing);
    }

    @Override
    public void close() throws IOException {
        process.close();
    }
}
