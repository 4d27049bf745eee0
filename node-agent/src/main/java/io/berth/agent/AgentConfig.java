package io.berth.agent;

import io.berth.agent.nvml.Nvml;
import io.berth.contracts.Isolation;
import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// What an operator can set.
@ConfigMapping(prefix = "berth.agent")
public interface AgentConfig {

    enum OnShutdown {
        /// Runs go on; the next agent adopts them.
        LEAVE,
        /// Runs are ended, and their groups removed.
        STOP
    }

    enum RunAs {
        /// All scripts run under the agent's own account.
        AGENT,
        /// Each script runs under the account that has its user's name.
        USER
    }

    enum HealthWhen {
        /// At every interval.
        ANY,
        /// Only while no run is on the machine.
        IDLE
    }

    /// The host's node name; its host name's first label if not given.
    Optional<String> name();

    /// The cell that the nodes belong to.
    @WithDefault("0")
    int cell();

    /// The cluster's name here, for `SLURM_CLUSTER_NAME`, in the place of its own.
    Optional<String> clusterName();

    /// The folder for spools.
    Path home();

    /// The accounts that scripts run under.
    @WithDefault("agent")
    RunAs runAs();

    /// A program that runs on the node, as the agent, before the script of a run: if it fails the
    /// script does not run.
    Optional<Path> prolog();

    /// A program that runs on the node, as the agent, when nothing of a run is left.
    Optional<Path> epilog();

    /// A folder with placement's public keys: orders that none of them has signed are not obeyed.
    /// Without it, whoever may write orders is obeyed.
    Optional<Path> placementKeys();

    /// The file of the key that signs what the agent says of its nodes, made if there is none.
    /// Without it nothing is signed.
    Optional<Path> nodeKey();

    /// What the host must be able to enforce for the agent to start. Whatever it enforces at the
    /// start is then required of each run.
    Optional<List<Isolation>> requiredIsolation();

    /// Whether runs get real GPUs where the host cannot keep them from opening others'.
    @WithDefault("false")
    boolean gpusWithoutIsolation();

    /// Whether the host itself is a node.
    @WithDefault("true")
    boolean host();

    /// CPUs of the host that jobs do not get, by the kernel's numbers, such as `0-1`.
    Optional<String> reservedCpus();

    /// Memory of the host that jobs do not get, in MiB; 10 %, at most 2 GiB, if not given.
    OptionalLong reservedMemory();

    /// How much of it runs may take.
    Memory memory();

    /// As cgroup.conf of Slurm has it, in percent of the memory that a run was given, or of the
    /// machine's.
    interface Memory {
        /// RAM; what is above the memory given is taken back where the machine wants for some.
        @WithDefault("100")
        double allowedRamSpace();

        /// Swap besides.
        @WithDefault("0")
        double allowedSwapSpace();

        /// The most RAM that a run may take, of the machine's.
        @WithDefault("100")
        double maxRamPercent();

        /// The most swap that a run may take, of the machine's RAM.
        @WithDefault("100")
        double maxSwapPercent();

        /// How much the kernel favors swap over giving up files, from 0 to 100, for runs in groups
        /// of version 1; the machine's own if not given.
        OptionalInt swappiness();
    }

    /// A GPU profile that is declared for the host's node instead of the GPUs that it has, such as
    /// `dgx-a100`.
    Optional<String> gpuProfile();

    /// NVIDIA's management library, by name or path.
    @WithDefault(Nvml.LIBRARY)
    String nvmlLibrary();

    /// How long the agent waits at its start for NVIDIA's driver: one that does not answer by then,
    /// as while a GPU hangs, is one that does not work, until it does.
    @WithDefault("30s")
    Duration driverWait();

    /// A file in the form of Slurm's gres.conf, or in YAML, that pins what the host's GPUs are, and
    /// says what it has of other resources, with their device files.
    Optional<Path> gresConf();

    /// A program that tests a GPU that stood aside: it is given the GPU's UUID and ends with 0 if
    /// jobs may have it again.
    Optional<Path> gpuTest();

    /// A program that looks after the machine as a whole, now and then: while it does not end with
    /// 0 the nodes get no new work.
    Optional<Path> healthProgram();

    @WithDefault("5m")
    Duration healthInterval();

    /// When it is run.
    @WithDefault("any")
    HealthWhen healthWhen();

    /// How long it may take; then it is killed, and has failed.
    @WithDefault("1m")
    Duration healthLimit();

    /// The program that runs containers: a crun, runc, apptainer or podman; the first of these in
    /// the system's folders, if not given.
    Optional<Path> containerRuntime();

    /// The folders with the CDI files of the machine's GPUs; of two files that name one the later
    /// counts.
    @WithDefault("/etc/cdi,/var/run/cdi")
    List<Path> cdiFolders();

    /// The control daemon of NVIDIA's Multi-Process Service; `nvidia-cuda-mps-control` in the
    /// system's folders, if not given.
    Optional<Path> mpsControl();

    /// How long a GPU that was put aside stays there before it is tested, and one that did not work
    /// at the start before it is looked for again.
    @WithDefault("1m")
    Duration gpuPatience();

    /// A run whose GPUs are used less than this, in percent and in the mean, is told of; 0 tells of
    /// none.
    @WithDefault("5")
    int lowGpuUse();

    /// The time of which that is the mean.
    @WithDefault("30m")
    Duration lowGpuUseAfter();

    /// How many processes and threads a run may have at a time; 0 is without a limit.
    @WithDefault("32768")
    int maxProcesses();

    /// Virtual nodes, such as `2xdgx-a100,1xdgx-v100`.
    Optional<String> virtual();

    @WithDefault("leave")
    OnShutdown onShutdown();

    /// The name of the control group above all nodes'.
    @WithDefault("berth")
    String cgroupParent();

    /// Whether the groups of runs and shims are in a scope of systemd's, on a host that systemd
    /// runs.
    @WithDefault("true")
    boolean systemdScope();

    /// Whether the kernel is told, where groups of version 1 hold runs, to favor moves into groups
    /// over forks: the mount option `favordynmods`, which is one for the machine.
    @WithDefault("true")
    boolean favorDynmods();

    /// From TERM to KILL where no order says it: at time limits, at shutdown, for unwanted runs.
    @WithDefault("30s")
    Duration killGrace();

    @WithDefault("5s")
    Duration heartbeat();

    /// How long no heartbeat may be acknowledged before the node ends its runs, so that placement
    /// may give their jobs to others; without it they go on.
    Optional<Duration> fenceAfter();

    /// The OpenTelemetry collector that gets the spans of launches, such as
    /// `http://collector:4318/v1/traces`; without one there are none.
    Optional<URI> tracesEndpoint();

    /// After which an unanswered registration is repeated.
    @WithDefault("10s")
    Duration syncTimeout();
}
