package io.berth.agent;

import io.berth.contracts.Isolation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// A configuration for tests: quick, in a folder and a control group of its own.
record TestConfig(
        Path home,
        Optional<String> name,
        boolean host,
        Optional<String> gpuProfile,
        Optional<String> virtual,
        OnShutdown onShutdown,
        Duration killGrace,
        String cgroupParent,
        String nvmlLibrary,
        Optional<List<Isolation>> requiredIsolation)
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
                cgroupParent,
                home + "/no-such-library",
                Optional.empty());
    }

    /// Virtual nodes alone.
    static TestConfig virtual(Path home, String nodes) {
        TestConfig base = host(home, "unused");
        return new TestConfig(
                home,
                base.name,
                false,
                Optional.empty(),
                Optional.of(nodes),
                base.onShutdown,
                base.killGrace,
                base.cgroupParent,
                base.nvmlLibrary,
                base.requiredIsolation);
    }

    /// A host whose GPUs are those that a library tells of.
    static TestConfig found(Path home, String name, String nvmlLibrary) {
        return found(home, name, nvmlLibrary, PARENT);
    }

    static TestConfig found(Path home, String name, String nvmlLibrary, String cgroupParent) {
        return new TestConfig(
                home,
                Optional.of(name),
                true,
                Optional.empty(),
                Optional.empty(),
                OnShutdown.STOP,
                Duration.ofMillis(500),
                cgroupParent,
                nvmlLibrary,
                Optional.empty());
    }

    TestConfig leaving() {
        return with(OnShutdown.LEAVE, requiredIsolation);
    }

    TestConfig requiring(Isolation... isolation) {
        return with(onShutdown, Optional.of(List.of(isolation)));
    }

    private TestConfig with(OnShutdown shutdown, Optional<List<Isolation>> required) {
        return new TestConfig(
                home,
                name,
                host,
                gpuProfile,
                virtual,
                shutdown,
                killGrace,
                cgroupParent,
                nvmlLibrary,
                required);
    }

    @Override
    public boolean systemdScope() {
        return false;
    }

    @Override
    public Optional<Path> gresConf() {
        return inHome("gres.conf");
    }

    /// The account of each job's user, if the test has made a file of that name.
    @Override
    public RunAs runAs() {
        return Files.exists(home.resolve("run-as-user")) ? RunAs.USER : RunAs.AGENT;
    }

    @Override
    public Optional<String> reservedCpus() {
        return Optional.empty();
    }

    @Override
    public OptionalLong reservedMemory() {
        return OptionalLong.empty();
    }

    @Override
    public Memory memory() {
        return new OfMemory(100, 0, 100, 100, OptionalInt.empty());
    }

    record OfMemory(
            double allowedRamSpace,
            double allowedSwapSpace,
            double maxRamPercent,
            double maxSwapPercent,
            OptionalInt swappiness)
            implements Memory {}

    @Override
    public Optional<Path> prolog() {
        return inHome("prolog");
    }

    @Override
    public Optional<Path> epilog() {
        return inHome("epilog");
    }

    /// A file in the home, if the test has put one there.
    private Optional<Path> inHome(String name) {
        return Optional.of(home.resolve(name)).filter(Files::exists);
    }

    /// Where placement's public keys are, if the test has put any there.
    @Override
    public Optional<Path> placementKeys() {
        return inHome("placement-keys");
    }

    @Override
    public Optional<Path> nodeKey() {
        return Optional.empty();
    }

    /// The one that the test has put there, else the host's.
    @Override
    public Optional<Path> containerRuntime() {
        return inHome("crun").or(() -> inHome("runc")).or(() -> inHome("podman"));
    }

    @Override
    public List<Path> cdiFolders() {
        return List.of(home.resolve("cdi"));
    }

    @Override
    public Optional<Path> mpsControl() {
        return Optional.empty();
    }

    @Override
    public Optional<Path> gpuTest() {
        return inHome("test-gpu");
    }

    /// If the test has put one there.
    @Override
    public Optional<Path> healthProgram() {
        return inHome("health");
    }

    @Override
    public Duration healthInterval() {
        return Duration.ofMillis(100);
    }

    @Override
    public HealthWhen healthWhen() {
        return inHome("health-when-idle").isPresent() ? HealthWhen.IDLE : HealthWhen.ANY;
    }

    @Override
    public Duration healthLimit() {
        return Duration.ofMillis(500);
    }

    @Override
    public Duration gpuPatience() {
        return Duration.ofMillis(200);
    }

    /// As a file in the home says, if the test has put one there.
    @Override
    public Duration driverWait() {
        return inHome("driver-wait")
                .map(TestConfig::text)
                .map(Duration::parse)
                .orElse(Duration.ofSeconds(30));
    }

    /// Tests of GPUs run where nobody may isolate them, too.
    @Override
    public boolean gpusWithoutIsolation() {
        return true;
    }

    @Override
    public int lowGpuUse() {
        return 5;
    }

    /// As a file in the home says, if the test has put one there.
    @Override
    public Duration lowGpuUseAfter() {
        return inHome("low-gpu-use-after")
                .map(TestConfig::text)
                .map(Duration::parse)
                .orElse(Duration.ofMinutes(30));
    }

    /// It would stay when the tests are over.
    @Override
    public boolean favorDynmods() {
        return false;
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
    public Optional<String> clusterName() {
        return Optional.of("trial");
    }

    @Override
    public Duration heartbeat() {
        return Duration.ofMillis(200);
    }

    /// As a file in the home says, if the test has put one there.
    @Override
    public Optional<Duration> fenceAfter() {
        return inHome("fence-after").map(TestConfig::text).map(Duration::parse);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// As a file in the home says, if the test has put one there.
    @Override
    public Optional<URI> tracesEndpoint() {
        return inHome("traces-endpoint").map(TestConfig::text).map(URI::create);
    }

    /// Most tests answer a registration once: it is not repeated meanwhile on a slow machine.
    @Override
    public Duration syncTimeout() {
        return Duration.ofSeconds(10);
    }
}
