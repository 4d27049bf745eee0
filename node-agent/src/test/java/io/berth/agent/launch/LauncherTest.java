package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.berth.agent.Jobs;
import io.berth.agent.group.DeviceRules;
import io.berth.agent.group.Group;
import io.berth.agent.group.Groups;
import io.berth.agent.group.HostGroups;
import io.berth.agent.group.Limits;
import io.berth.agent.group.TestGroups;
import io.berth.agent.host.Drivers;
import io.berth.agent.host.FoundGpus;
import io.berth.agent.host.Host;
import io.berth.agent.host.LocalNode;
import io.berth.agent.host.SystemFiles;
import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuHardware.Fabric;
import io.berth.contracts.GpuShare;
import io.berth.contracts.GpuShare.Enforcement;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Gres;
import io.berth.contracts.Hardware;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Inventory;
import io.berth.contracts.Isolation;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.log.trace.Spans;
import io.berth.slurm.GresConf;
import io.berth.slurm.SlurmConf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Isolation is proven for each run, on a node whose GPUs have device files.
class LauncherTest {

    private static final String PARENT = "berth-launcher-" + ProcessHandle.current().pid();
    private static final NodeName NAME = new NodeName("proven1");
    private static final GpuHardware IN_FABRIC = Drivers.nvidia(new Fabric("domain", 1), null);
    private static final List<Gpu> GPUS =
            List.of(
                    new Gpu(0, "GPU-a", "a100", "A100", 3, 40_960, 0),
                    new Gpu(1, "GPU-b", "a100", "A100", 1, 40_960, 0, IN_FABRIC));

    @TempDir Path folder;
    Path home;
    Path work;
    Host host;
    Path drivers = Path.of("/proc/devices");
    boolean gpusWithoutIsolation = true;
    @Nullable Path container;

    @BeforeEach
    void makeHome() throws IOException {
        home = Files.createDirectories(folder.resolve("home"));
        work = Files.createDirectories(folder.resolve("work"));
        host = Host.read(SystemFiles.HERE);
    }

    @AfterEach
    void removeGroups() throws IOException {
        HostGroups.find(PARENT).removeEmptyParents(NAME);
        TestGroups.filtering(PARENT).removeEmptyParents(NAME);
    }

    private Launcher launcher(Groups groups, SpoolWatch watch)
            throws IOException, InterruptedException {
        return launcher(groups, watch, Mps.NONE);
    }

    private Launcher launcher(Groups groups, SpoolWatch watch, Mps mps)
            throws IOException, InterruptedException {
        return launcher(groups, watch, mps, "env | grep CUDA_ | sort >variables");
    }

    private JobSpec spec(String script) {
        JobSpec spec = Jobs.script(new JobId(9), work, script);
        return container == null ? spec : Jobs.in(container, spec);
    }

    private Launcher launcher(Groups groups, SpoolWatch watch, Mps mps, String script)
            throws IOException, InterruptedException {
        DeviceRules.Source rules = () -> DeviceRules.read(drivers);
        return new Launcher(
                groups,
                rules,
                ProbeDevices.make(home, rules.now(), GPUS),
                Shims.install(home, new Commands()),
                watch,
                _ -> spec(script),
                new Hooks(Optional.empty(), Optional.empty(), new Commands()),
                "trial",
                100,
                gpusWithoutIsolation,
                Accounts.Own.ofThisProcess(),
                mps,
                new Containers(Optional.empty(), List.of(), new Commands()),
                Spans.NONE);
    }

    private LocalNode node(Set<Isolation> isolation) {
        return node(isolation, false);
    }

    private LocalNode node(Set<Isolation> isolation, boolean simulated) {
        IndexSet channels = IndexSet.firstN(2);
        var hardware =
                new Hardware(List.of(), List.of(), 0, List.of(), List.of(), channels, List.of());
        LocalNode bare = LocalNode.host(host, NAME.value(), FoundGpus.NONE, hardware);
        Inventory has = bare.inventory();
        var inventory =
                new Inventory(
                        has.sockets(),
                        has.coresPerSocket(),
                        has.threadsPerCore(),
                        has.cpus(),
                        has.memoryMib(),
                        GPUS,
                        List.of(),
                        simulated,
                        null,
                        has.os(),
                        has.architecture(),
                        null,
                        hardware);
        return new LocalNode(NAME, false, bare.hostCpus(), inventory).enforcing(isolation);
    }

    private RunFiles files() throws IOException {
        return RunFiles.of(Files.createDirectories(home.resolve("nodes/proven1/runs")), run());
    }

    private static RunId run() {
        return new RunId(new JobId(9), 1);
    }

    private static Launch launch(String... gpus) {
        return launch(null, gpus);
    }

    private static Launch launch(@Nullable GpuShare share, String... gpus) {
        return launch(new Allocation(NAME, 0, 1, IndexSet.firstN(1), 64, List.of(gpus), share));
    }

    private static Launch launch(Allocation here) {
        return new Launch(
                NAME,
                1,
                1,
                run(),
                new SpecReference(0, 0, ""),
                LaunchMode.BATCH,
                false,
                List.of(here),
                0);
    }

    @ParameterizedTest
    @MethodSource("isolating")
    void a_run_is_refused_every_gpu_but_its_own(Groups groups) throws Exception {
        assumeThat(groups.heldByKernel()).isTrue();
        RunFiles files = files();
        try (var watch = new SpoolWatch()) {
            Launcher launcher = launcher(groups, watch);

            var prepared =
                    launcher.prepare(node(EnumSet.allOf(Isolation.class)), launch("GPU-b"), files);

            assertThat(prepared.isolation()).containsExactlyInAnyOrder(Isolation.values());
            assertThat(files.text("ready").orElseThrow())
                    .containsPattern("gpu-195-3 Operation not permitted")
                    .doesNotContainPattern("gpu-195-1 Operation not permitted");
            end(prepared, files);
        }
    }

    /// By the controller of version 1, and by the filter of version 2.
    static Stream<Groups> isolating() throws IOException {
        return Stream.of(HostGroups.find(PARENT), TestGroups.filtering(PARENT));
    }

    @Test
    void a_gpu_that_cannot_be_opened_has_failed() throws Exception {
        Groups groups = HostGroups.find(PARENT);
        assumeThat(groups.heldByKernel()).isTrue();
        // Of these numbers the kernel has no device, and says so as a driver does that has lost
        // one.
        drivers = Files.writeString(folder.resolve("drivers"), "10 nvidia\n");
        RunFiles files = files();
        try (var watch = new SpoolWatch()) {
            Launcher launcher = launcher(groups, watch);
            LocalNode node = node(EnumSet.of(Isolation.DEVICES));

            assertThatThrownBy(() -> launcher.prepare(node, launch("GPU-b"), files))
                    .isInstanceOf(LaunchRefused.class)
                    .hasMessage("GPU GPU-b cannot be opened: No such device")
                    .returns(Cause.GPU_FAILED, e -> ((LaunchRefused) e).end());
            abandon(groups, files);
        }
    }

    @Test
    void real_gpus_are_not_given_where_nobody_isolates_them_unless_that_is_set() throws Exception {
        Groups none = HostGroups.processTrees();
        gpusWithoutIsolation = false;
        RunFiles files = files();
        try (var watch = new SpoolWatch()) {
            Launcher launcher = launcher(none, watch);

            assertThatThrownBy(() -> launcher.prepare(node(Set.of()), launch("GPU-b"), files))
                    .isInstanceOf(LaunchRefused.class)
                    .hasMessageContaining("cannot keep a job from the GPUs of others")
                    .returns(Cause.LAUNCH_FAILED, e -> ((LaunchRefused) e).end())
                    .returns(true, e -> ((LaunchRefused) e).drain() != null);
            abandon(none, files);
            files.remove();
            for (Launch launch : List.of(launch(), launch("GPU-b"))) {
                RunFiles each = files();
                boolean simulated = !launch.here().gpus().isEmpty();

                end(launcher.prepare(node(Set.of(), simulated), launch, each), each);
                each.remove();
            }
            gpusWithoutIsolation = true;
            RunFiles allowed = files();
            end(launcher(none, watch).prepare(node(Set.of()), launch("GPU-b"), allowed), allowed);
        }
    }

    private static void abandon(Groups groups, RunFiles files) throws IOException {
        Group group = groups.find(NAME, run());
        group.kill();
        Awaitility.await().until(() -> group.members().isEmpty() && files.has("exit"));
        group.remove();
    }

    @Test
    void a_driver_that_is_loaded_later_or_anew_is_open_to_those_who_hold_gpus() throws Exception {
        Groups groups = HostGroups.find(PARENT);
        assumeThat(groups.description()).isEqualTo("cgroup v1");
        drivers = Files.writeString(folder.resolve("drivers"), "195 nvidia\n");
        try (var watch = new SpoolWatch()) {
            Launcher launcher = launcher(groups, watch);
            String early = found(launcher, launch("GPU-b"));
            Files.writeString(drivers, "195 nvidia\n240 nvidia-uvm\n");
            String later = found(launcher, launch("GPU-b"));
            List<String> ofStep =
                    launcher.devices(node(Set.of()), launch("GPU-a", "GPU-b"), Set.of("GPU-b"));
            Files.writeString(drivers, "195 nvidia\n241 nvidia-uvm\n240 infiniband_verbs\n");
            String anew = found(launcher, launch());

            assertThat(early).contains("gpu-195-255").doesNotContain("gpu-24");
            assertThat(later).containsPattern("gpu-240-0 No such device or address");
            assertThat(ofStep).contains("c 240:* rw");
            assertThat(anew)
                    .containsPattern("gpu-241-0 Operation not permitted")
                    .doesNotContain("gpu-240-0");
        }
    }

    /// What the task of a run found.
    private String found(Launcher launcher, Launch launch) throws Exception {
        RunFiles files = files();
        var prepared = launcher.prepare(node(EnumSet.allOf(Isolation.class)), launch, files);
        String found = files.text("ready").orElseThrow();
        end(prepared, files);
        files.remove();
        return found;
    }

    /// Devices that every Linux has stand for those of cards; a read of none does anything.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Name=card File=/dev/kmsg,/dev/loop-control",
                "Name=card MultipleFiles=/dev/kmsg,/dev/loop0"
            })
    void a_run_opens_the_device_files_that_it_was_given_and_no_others(String line)
            throws Exception {
        Groups groups = HostGroups.find(PARENT);
        assumeThat(groups.heldByKernel()).isTrue();
        GresConf conf =
                GresConf.of(
                        SlurmConf.parse("gres.conf", line + "\nName=gone File=/dev/no-such"),
                        NAME.value());
        List<String> files = conf.filesOf("/dev/kmsg");
        List<String> cards = List.of("/dev/kmsg", "/dev/loop-control", "/dev/loop0");
        assumeThat(cards).allMatch(it -> Files.exists(Path.of(it)));
        LocalNode node = node(EnumSet.noneOf(Isolation.class)).saying(conf);
        RunFiles run = files();
        try (var watch = new SpoolWatch()) {
            Launcher launcher =
                    launcher(
                            groups,
                            watch,
                            Mps.NONE,
                            "for f in %s; do (: <$f) && echo $f; done >opened; echo $BERTH_GRES $BERTH_GRES_FILES >told"
                                    .formatted(String.join(" ", cards)));

            var prepared = launcher.prepare(node, holding("/dev/kmsg"), run);
            assumeThat(prepared.group().enforced()).contains(Isolation.DEVICES);
            run.release();
            Awaitility.await().until(() -> run.has("exit"));

            assertThat(Files.readAllLines(work.resolve("opened"))).isEqualTo(files);
            assertThat(Files.readAllLines(work.resolve("told")))
                    .containsExactly("card:1 " + String.join(",", files));
            end(prepared, run);
            assertThatThrownBy(() -> launcher.prepare(node, holding("/dev/mem"), files()))
                    .isInstanceOf(LaunchRefused.class)
                    .hasMessageContaining("does not give out the device file /dev/mem");
        }
    }

    private static Launch holding(String file) {
        var card = new Gres("card", null, 1, List.of(file));
        return launch(
                new Allocation(NAME, 0, 1, IndexSet.firstN(1), 64, List.of(), null, List.of(card)));
    }

    @ParameterizedTest
    @MethodSource("isolating")
    void a_run_without_gpus_is_refused_their_control_devices_too(Groups groups) throws Exception {
        assumeThat(groups.heldByKernel()).isTrue();
        RunFiles files = files();
        try (var watch = new SpoolWatch()) {
            Launcher launcher = launcher(groups, watch);

            var prepared = launcher.prepare(node(EnumSet.allOf(Isolation.class)), launch(), files);

            assertThat(files.text("ready").orElseThrow())
                    .containsPattern("gpu-195-3 Operation not permitted")
                    .containsPattern("gpu-195-1 Operation not permitted")
                    .containsPattern("gpu-195-255 Operation not permitted");
            end(prepared, files);
        }
    }

    @ParameterizedTest
    @MethodSource("isolating")
    void a_run_that_holds_all_gpus_is_refused_a_device_that_nobody_is_given(Groups groups)
            throws Exception {
        assumeThat(groups.heldByKernel()).isTrue();
        RunFiles files = files();
        try (var watch = new SpoolWatch()) {
            Launcher launcher = launcher(groups, watch);

            var prepared =
                    launcher.prepare(
                            node(EnumSet.allOf(Isolation.class)), launch("GPU-a", "GPU-b"), files);

            assertThat(files.text("ready").orElseThrow())
                    .containsOnlyOnce("Operation not permitted")
                    .containsPattern("gpu-195-253 Operation not permitted");
            end(prepared, files);
        }
    }

    @ParameterizedTest
    @MethodSource("isolating")
    void a_group_that_opens_all_devices_proves_nothing_to_a_run_that_holds_all_gpus(Groups groups)
            throws Exception {
        assumeThat(groups.heldByKernel()).isTrue();
        RunFiles files = files();
        try (var watch = new SpoolWatch()) {
            Launcher launcher = launcher(new Open(groups), watch);

            assertThatThrownBy(() ->
                            launcher.prepare(
                                    node(EnumSet.of(Isolation.DEVICES)),
                                    launch("GPU-a", "GPU-b"),
                                    files))
                    .isInstanceOf(LaunchRefused.class)
                    .hasMessage("isolation could not be verified: [DEVICES]");
            abandon(groups, files);
        }
    }

    /// Groups in which a run may open all of the driver's devices, and the kernel says so.
    private record Open(Groups groups) implements Groups {

        @Override
        public String description() {
            return groups.description();
        }

        @Override
        public Group create(NodeName node, RunId run, Limits limits) throws IOException {
            var devices = new ArrayList<>(limits.devices());
            devices.add("c 195:* rw");
            return groups.create(
                    node,
                    run,
                    new Limits(limits.cpus(), limits.memoryMib(), limits.processes(), devices));
        }

        @Override
        public Group find(NodeName node, RunId run) {
            return groups.find(node, run);
        }

        @Override
        public void removeEmptyParents(NodeName node) {
            groups.removeEmptyParents(node);
        }
    }

    @ParameterizedTest
    @MethodSource("isolating")
    void a_run_is_refused_the_imex_channels_of_others(Groups groups) throws Exception {
        assumeThat(groups.heldByKernel()).isTrue();
        drivers =
                Files.writeString(
                        folder.resolve("drivers"), "195 nvidia\n239 nvidia-caps-imex-channels\n");
        try (var watch = new SpoolWatch()) {
            Launcher launcher = launcher(groups, watch);

            assertThat(found(launcher, launch("GPU-a", "GPU-b")))
                    .containsPattern("gpu-239-0 Operation not permitted")
                    .containsPattern("gpu-239-1 Operation not permitted");
            assertThat(found(launcher, onTwoNodes("GPU-b")))
                    .containsPattern("gpu-239-0 Operation not permitted")
                    .containsPattern("gpu-239-1 No such device or address");
        }
    }

    private static Launch onTwoNodes(String gpu) {
        Allocation here = launch(gpu).here();
        var there =
                new Allocation(
                        new NodeName("proven2"), 1, 1, IndexSet.firstN(1), 64, List.of("GPU-c"));
        return new Launch(
                NAME,
                1,
                1,
                run(),
                new SpecReference(0, 0, ""),
                LaunchMode.BATCH,
                false,
                List.of(here, there),
                0);
    }

    private static void end(Launcher.Prepared prepared, RunFiles files) throws IOException {
        prepared.group().kill();
        Awaitility.await().until(() -> prepared.group().members().isEmpty() && files.has("exit"));
        prepared.group().remove();
    }

    private static final GpuShare HALF = new GpuShare(GpuSharing.MPS, 500, 1000, 20_480);

    /// Runs a part of a GPU to its end; what the daemon said that it was started with is in
    /// `daemon`.
    private Launcher.Prepared runToItsEnd(String control) throws Exception {
        Path program = Files.writeString(folder.resolve("mps-control"), control);
        assertThat(program.toFile().setExecutable(true)).isTrue();
        RunFiles files = files();
        try (var watch = new SpoolWatch()) {
            Groups groups = HostGroups.processTrees();
            Launcher launcher = launcher(groups, watch, Mps.find(Optional.of(program)));
            var prepared = launcher.prepare(node(Set.of()), launch(HALF, "GPU-b"), files);
            files.release();
            Awaitility.await().until(() -> files.has("exit"));
            groups.find(NAME, run()).kill();
            return prepared;
        }
    }

    @Test
    void a_part_of_a_gpu_has_a_control_daemon_of_its_own_before_its_script_runs() throws Exception {
        Launcher.Prepared prepared =
                runToItsEnd(
                        """
                        #!/bin/sh
                        { echo "$1"; env | grep CUDA_ | sort; } >%s/daemon
                        """
                                .formatted(folder));

        assertThat(prepared.enforced()).isEqualTo(Enforcement.MPS);
        List<String> told = Files.readAllLines(folder.resolve("daemon"));
        Path pipes = files().job().at("mps");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(pipes)))
                .isEqualTo("rwx------");
        assertThat(told)
                .contains(
                        "-d",
                        "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50",
                        "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=20480M",
                        "CUDA_MPS_PIPE_DIRECTORY=" + pipes,
                        "CUDA_MPS_LOG_DIRECTORY=" + pipes,
                        "CUDA_VISIBLE_DEVICES=GPU-b");
        assertThat(Files.readAllLines(work.resolve("variables")))
                .isEqualTo(told.subList(1, told.size()));
    }

    @Test
    void a_script_does_not_run_whose_control_daemon_does_not_start() throws Exception {
        runToItsEnd("#!/bin/sh\nexit 1\n");

        assertThat(work.resolve("variables")).doesNotExist();
        assertThat(files().text("exit").orElseThrow()).contains("125");
    }

    @Test
    void a_part_of_a_gpu_that_nothing_enforces_says_so() throws Exception {
        RunFiles files = files();
        try (var watch = new SpoolWatch()) {
            Groups groups = HostGroups.processTrees();
            Launcher launcher = launcher(groups, watch);

            var prepared = launcher.prepare(node(Set.of()), launch(HALF, "GPU-b"), files);

            assertThat(prepared.enforced()).isEqualTo(Enforcement.NONE);
            end(prepared, files);
        }
    }

    @Test
    void less_isolation_than_the_node_claims_is_a_refusal() throws Exception {
        RunFiles files = files();
        try (var watch = new SpoolWatch()) {
            Groups none = HostGroups.processTrees();
            Launcher launcher = launcher(none, watch);

            assertThatThrownBy(() ->
                            launcher.prepare(
                                    node(EnumSet.of(Isolation.DEVICES)), launch("GPU-b"), files))
                    .isInstanceOf(LaunchRefused.class)
                    .hasMessage("isolation could not be verified: [DEVICES]");
            none.find(NAME, run()).kill();
            Awaitility.await().until(() -> files.has("exit"));
        }
    }

    @Test
    void a_container_where_no_runtime_is_there_is_a_refusal() throws Exception {
        RunFiles files = files();
        container = work;
        try (var watch = new SpoolWatch()) {
            Launcher launcher = launcher(HostGroups.processTrees(), watch);

            assertThatThrownBy(() -> launcher.prepare(node(Set.of()), launch(), files))
                    .isInstanceOf(LaunchRefused.class)
                    .hasMessage(
                            "no container runtime on node %s: crun, runc, apptainer or podman, or set berth.agent.container-runtime",
                            NAME);
        }
    }
}
