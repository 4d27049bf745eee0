package io.berth.agent;

import io.berth.agent.group.DeviceRules;
import io.berth.agent.group.Groups;
import io.berth.agent.group.HostGroups;
import io.berth.agent.group.MemoryRule;
import io.berth.agent.host.DeviceFile;
import io.berth.agent.host.Host;
import io.berth.agent.host.LocalNode;
import io.berth.agent.host.StartRefused;
import io.berth.agent.kafka.AgentLog;
import io.berth.agent.launch.Accounts;
import io.berth.agent.launch.Commands;
import io.berth.agent.launch.Containers;
import io.berth.agent.launch.Hooks;
import io.berth.agent.launch.JobFiles;
import io.berth.agent.launch.Launcher;
import io.berth.agent.launch.Mps;
import io.berth.agent.launch.ProbeDevices;
import io.berth.agent.launch.Shims;
import io.berth.agent.launch.Specs;
import io.berth.agent.launch.SpoolWatch;
import io.berth.contracts.Gpu;
import io.berth.contracts.Gres;
import io.berth.log.trace.SpanExporter;
import io.berth.log.trace.Spans;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The launcher that a host's settings make.
///
/// @param home the agents', without links
/// @param parent the group above all nodes' groups
record HostLauncher(AgentConfig config, Path home, List<LocalNode> nodes, String parent) {

    private static final Logger LOG = LoggerFactory.getLogger(HostLauncher.class);

    private static final double ALL = 100;
    private static final double MOST_PERCENT = 1000;

    private static final String ELSEWHERE =
            "accounts of users cannot pass through %s: set berth.agent.home to a folder that they"
                    + " can, such as /var/lib/berth";

    /// @throws StartRefused if the host does not allow what is set
    Launcher open(Specs specs, SpoolWatch watch) throws IOException, InterruptedException {
        Set<String> guarded = guarded();
        DeviceRules.Source rules = () -> DeviceRules.read().guarding(guarded);
        List<Gpu> gpus = nodes.stream().flatMap(node -> node.inventory().gpus().stream()).toList();
        var commands = new Commands();
        return new Launcher(
                groups(),
                rules,
                ProbeDevices.make(home, rules.now(), gpus),
                Shims.install(home, commands),
                watch,
                specs,
                new Hooks(config.prolog(), config.epilog(), commands),
                config.clusterName().orElse(""),
                config.maxProcesses(),
                config.gpusWithoutIsolation(),
                accounts(commands),
                Mps.find(config.mpsControl()),
                containers(commands),
                config.tracesEndpoint()
                        .<Spans>map(it -> new SpanExporter(it, AgentLog.SERVICE))
                        .orElse(Spans.NONE));
    }

    private Groups groups() throws IOException {
        Groups groups = HostGroups.find(parent, memory(config.memory(), Host.machineMib()));
        if (!groups.countSwap()) {
            LOG.warn("The kernel does not count swap: runs may swap out more than their memory");
        }
        if (config.favorDynmods()) {
            groups.favorMoves()
                    .ifPresent(why ->
                            LOG.atInfo()
                                    .addKeyValue("reason", why)
                                    .log("favordynmods is not set: launches take longer"));
        }
        return groups;
    }

    /// @param machineMib the machine's RAM
    /// @throws StartRefused naming the setting that cannot be, and what is allowed
    static MemoryRule memory(AgentConfig.Memory config, long machineMib) {
        double mostRam = percent("max-ram-percent", config.maxRamPercent(), 1, ALL);
        double mostSwap = percent("max-swap-percent", config.maxSwapPercent(), 0, MOST_PERCENT);
        return new MemoryRule(
                percent("allowed-ram-space", config.allowedRamSpace(), 1, MOST_PERCENT),
                percent("allowed-swap-space", config.allowedSwapSpace(), 0, MOST_PERCENT),
                (long) (machineMib / ALL * mostRam) << 20,
                (long) (machineMib / ALL * mostSwap) << 20,
                config.swappiness().stream()
                        .map(it -> (int) percent("swappiness", it, 0, ALL))
                        .findFirst());
    }

    private static double percent(String name, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw new StartRefused(
                    "berth.agent.memory.%s is from %.0f to %.0f, not %s"
                            .formatted(name, least, most, value));
        }
        return value;
    }

    /// All devices that the machine gives out one by one: a run of any of its nodes opens none but
    /// its own.
    private Set<String> guarded() throws IOException {
        var numbers = new TreeSet<String>();
        for (LocalNode node : nodes) {
            for (Gres gres : node.inventory().gres()) {
                for (String first : gres.files()) {
                    for (String file : node.said().filesOf(first)) {
                        numbers.add(DeviceFile.number(file));
                    }
                }
            }
        }
        return numbers;
    }

    private Containers containers(Commands commands) {
        try {
            return Containers.find(config.containerRuntime(), config.cdiFolders(), commands);
        } catch (IllegalArgumentException e) {
            throw new StartRefused("berth.agent.container-runtime: " + e.getMessage());
        }
    }

    private Accounts accounts(Commands commands) throws IOException {
        Accounts.Own own = Accounts.Own.ofThisProcess();
        if (config.runAs() == AgentConfig.RunAs.AGENT) {
            if (own.account().uid() == 0) {
                LOG.warn("Every user's scripts run as root: berth.agent.run-as=user is for others");
            }
            return own;
        }
        if (own.account().uid() != 0) {
            throw new StartRefused("berth.agent.run-as is user, which takes an agent that is root");
        }
        for (Path folder = home.getParent(); folder != null; folder = folder.getParent()) {
            if (!passable(folder)) {
                throw new StartRefused(ELSEWHERE.formatted(folder));
            }
        }
        letPass(home);
        letPass(home.resolve("nodes"));
        for (LocalNode node : nodes) {
            letPass(home.resolve("nodes").resolve(node.name().value()));
            letPass(home.resolve("nodes").resolve(node.name().value()).resolve("runs"));
        }
        Optional<String> unbound = JobFiles.unbound(home);
        unbound.ifPresent(why ->
                LOG.atWarn()
                        .addKeyValue("reason", why)
                        .log("What jobs leave in the spool is not bounded"));
        return new Accounts.OfUsers(commands, unbound.isEmpty());
    }

    private static boolean passable(Path folder) throws IOException {
        return Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_EXECUTE);
    }

    private static void letPass(Path folder) throws IOException {
        var permissions = EnumSet.copyOf(Files.getPosixFilePermissions(folder));
        permissions.add(PosixFilePermission.GROUP_EXECUTE);
        permissions.add(PosixFilePermission.OTHERS_EXECUTE);
        Files.setPosixFilePermissions(folder, permissions);
    }
}
