package io.berth.agent;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// A configuration for tests: quick, in a folder and a control group of its own.
record TestConfig(
        Path home,
        Optional<String> name,
        boolean host,
        Optional<String> gpuProfile,
        Optional<String> virtual,
        OnShutdown onShutdown,
        Duration killGrace,
        String cgroupParent)
        implements AgentConfig {

    static final String PARENT = "berth-test-" + ProcessHandle.current().pid();

    static TestConfig host(Path home, String name) {
        return host(home, name, PARENT);
    }

    static TestConfig host(Path home, String name, String cgroupParent) {
        return new TestConfig(
                home,
                Optional.of(name),
                true,
                Optional.of("dgx-a100"),
                Optional.empty(),
                OnShutdown.STOP,
                Duration.ofMillis(500),
                cgroupParent);
    }

    TestConfig leaving() {
        return new TestConfig(
                home, name, host, gpuProfile, virtual, OnShutdown.LEAVE, killGrace, cgroupParent);
    }

    @Override
    public String nvmlLibrary() {
        return home + "/no-such-library";
    }

    @Override
    public Optional<Path> gpuTest() {
        return Optional.empty();
    }

    @Override
    public Duration gpuPatience() {
        return Duration.ofMillis(200);
    }

    @Override
    public int maxProcesses() {
        return 100;
    }

    @Override
    public int cell() {
        return 0;
    }

    @Override
    public String clusterName() {
        return "trial";
    }

    @Override
    public Duration heartbeat() {
        return Duration.ofMillis(200);
    }

    @Override
    public Duration syncTimeout() {
        return Duration.ofSeconds(2);
    }
}
