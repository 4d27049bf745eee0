package io.berth.slurm;

import io.berth.contracts.FeatureExpression;
import io.berth.slurm.GetOpt.Given;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Which nodes and licenses a submission asks for, while its options are read. Confined to one
/// call.
final class NodesDraft {

    private @Nullable String constraint;
    private @Nullable String prefer;
    private @Nullable String nodeList;
    private @Nullable String excludedNodes;
    private @Nullable Boolean exclusive;
    private @Nullable Boolean exclusiveUser;
    private @Nullable Boolean exclusiveTopo;
    private @Nullable Boolean oversubscribe;
    private @Nullable String switches;
    private @Nullable String reservation;
    private @Nullable String licenses;
    private @Nullable Integer sockets;
    private @Nullable Integer gpusPerSocket;
    private @Nullable Integer tasksPerSocket;
    private @Nullable Integer tasksPerCore;
    private @Nullable Integer hintedThreads;
    private @Nullable Integer cores;
    private @Nullable Integer threads;
    private @Nullable Boolean contiguous;
    private @Nullable Integer minCpus;
    private @Nullable Long tmpMib;
    private @Nullable Integer segment;
    private @Nullable String parallel;
    private @Nullable String topology;
    private boolean leastNodes;
    private boolean spread;

    void set(SbatchSetting setting, Given<SbatchOption> given) throws InvalidOption {
        switch (setting) {
            case CONSTRAINT -> constraint = feature(given);
            case PREFER -> prefer = feature(given);
            case CONTIGUOUS -> contiguous = true;
            case MIN_CPUS -> minCpus = SbatchDraft.positive(given);
            case TMP -> tmpMib = tmp(given);
            case USE_MIN_NODES -> leastNodes = true;
            case CORES_PER_SOCKET -> cores = SbatchDraft.positive(given);
            case EXTRA_NODE_INFO -> setShape(given);
            case NTASKS_PER_CORE -> tasksPerCore = SbatchDraft.positive(given);
            case NTASKS_PER_SOCKET -> tasksPerSocket = SbatchDraft.positive(given);
            case SPREAD_JOB -> spread = true;
            case SOCKETS_PER_NODE -> sockets = SbatchDraft.positive(given);
            case THREADS_PER_CORE -> threads = SbatchDraft.positive(given);
            case EXCLUDE -> excludedNodes = hosts(given);
            case EXCLUSIVE -> setExclusive(given);
            case OVERSUBSCRIBE -> {
                oversubscribe = true;
                exclusive = null;
                exclusiveUser = null;
                exclusiveTopo = null;
            }
            case LICENSES -> {
                LicensesText.parse(given.required());
                licenses = given.required();
            }
            case SEGMENT -> segment = SbatchDraft.positive(given);
            case NODELIST -> nodeList = hosts(given);
            case RESERVATION -> reservation = reservation(given);
            case SWITCHES -> {
                SwitchesText.parse(given.required());
                switches = given.required();
            }
            default -> throw new IllegalStateException("set " + setting + ": it names no nodes");
        }
    }

    /// How many threads of a core a hint means, which is one that there is.
    void hint(Given<SbatchOption> given) {
        hintedThreads = given.required().equalsIgnoreCase("multithread") ? null : (Integer) 1;
    }

    /// A number outranks a hint.
    private @Nullable Integer threadsUsed(int cpusPerTask) {
        return tasksPerCore == null
                ? hintedThreads
                : (Integer) (int) Math.min((long) tasksPerCore * cpusPerTask, Integer.MAX_VALUE);
    }

    private static String feature(Given<SbatchOption> given) throws InvalidOption {
        try {
            return FeatureExpression.parseBounded(given.required()).toString();
        } catch (IllegalArgumentException e) {
            throw InvalidOption.refused(
                    "Batch job submission failed: Invalid feature specification");
        }
    }

    private static String hosts(Given<SbatchOption> given) throws InvalidOption {
        try {
            HostList.expand(given.required());
            return given.required();
        } catch (IllegalArgumentException e) {
            throw InvalidOption.refused("Batch job submission failed: Invalid node name specified");
        }
    }

    /// The nodes that a file lists, one or more on a line.
    void file(String text) throws InvalidOption {
        List<String> lines =
                text.lines()
                        .map(line -> line.replaceFirst("#.*", "").strip())
                        .filter(line -> !line.isEmpty())
                        .toList();
        try {
            nodeList =
                    HostList.compress(
                            HostList.expand(String.join(",", lines)).stream().distinct().toList());
        } catch (IllegalArgumentException e) {
            throw InvalidOption.refused("Batch job submission failed: Invalid node name specified");
        }
    }

    /// `sockets[:cores[:threads]]`, each a number or `*`.
    private void setShape(Given<SbatchOption> given) throws InvalidOption {
        String[] parts = given.required().split(":", -1);
        var counts = new @Nullable Integer[3];
        for (int i = 0; i < parts.length; i++) {
            OptionalLong count = Counts.plain(parts[i]);
            if (i >= counts.length
                    || (!parts[i].equals("*")
                            && (count.isEmpty()
                                    || count.getAsLong() < 1
                                    || count.getAsLong() > 65_536))) {
                throw SbatchDraft.invalid(given);
            }
            counts[i] = parts[i].equals("*") ? null : (Integer) (int) count.getAsLong();
        }
        sockets = counts[0];
        cores = counts[1];
        threads = counts[2];
    }

    private static String reservation(Given<SbatchOption> given) throws InvalidOption {
        if (given.required().contains(",")) {
            throw InvalidOption.refused("a list of reservations is not supported yet");
        }
        return given.required();
    }

    private static long tmp(Given<SbatchOption> given) throws InvalidOption {
        OptionalLong mib = SlurmMemory.parseMib(given.required());
        if (mib.isEmpty()) {
            throw SbatchDraft.invalid(given);
        }
        return mib.getAsLong();
    }

    private void setExclusive(Given<SbatchOption> given) throws InvalidOption {
        String value = given.value();
        if (value != null && value.equalsIgnoreCase("mcs")) {
            throw InvalidOption.refused("--exclusive=" + value + " is not supported yet");
        }
        boolean user = "user".equalsIgnoreCase(value);
        boolean topo = "topo".equalsIgnoreCase(value);
        if (value != null && !user && !topo) {
            throw SbatchDraft.invalid(given);
        }
        exclusive = value == null ? true : null;
        exclusiveUser = user ? true : null;
        exclusiveTopo = topo ? true : null;
        oversubscribe = null;
    }

    /// How the job is parallel, by a `#BERTH` line.
    void parallel(String text) throws InvalidOption {
        if (!text.equals("data") && !text.equals("model")) {
            throw InvalidOption.malformed("Invalid --parallel specification");
        }
        parallel = text;
    }

    /// In one domain of which level the nodes lie, by a `#BERTH` line.
    void topology(String text) throws InvalidOption {
        SwitchesText.within(text);
        topology = text;
    }

    /// The GPUs of each node where so many of each of its sockets are asked for.
    ///
    /// @throws InvalidOption if nothing is said of sockets, or something else of GPUs
    @Nullable GpuSpec gpus(@Nullable GpuSpec perSocket, @Nullable GpuSpec perNode)
            throws InvalidOption {
        if (perSocket == null || perSocket.count() == 0) {
            return perNode;
        }
        if (sockets == null) {
            throw InvalidOption.refused(
                    "--gpus-per-socket option requires --sockets-per-node specification\n"
                            + GpuShape.INVALID);
        }
        if ((long) perSocket.count() * sockets > Integer.MAX_VALUE) {
            throw InvalidOption.refused(GpuShape.INVALID);
        }
        gpusPerSocket = perSocket.count();
        GpuSpec together = perSocket.times(sockets);
        if (perNode == null || perNode.count() == 0 || perNode.equals(together)) {
            return together;
        }
        boolean otherwise =
                perNode.types() != null || (together.types() != null && perNode.type() != null);
        if (perNode.count() != together.count() || otherwise) {
            throw InvalidOption.refused(GpuShape.INVALID);
        }
        return together.types() == null && together.type() == null ? perNode : together;
    }

    /// The nodes asked for at least and at most, at least as many as are listed.
    ///
    /// @param tasks over which a job may be spread; null if they are not counted
    NodeRange range(@Nullable NodeRange asked, @Nullable Integer tasks) throws InvalidOption {
        NodeRange given =
                spread && asked == null && tasks != null && tasks > 1
                        ? new NodeRange(null, tasks)
                        : asked;
        List<String> listed = nodeList == null ? List.of() : HostList.expand(nodeList);
        if (listed.isEmpty()) {
            return given == null ? NodeRange.OPEN : given;
        }
        if (given == null || given.least() == null) {
            return new NodeRange(listed.size(), null);
        }
        int most = given.most() == null ? given.least() : given.most();
        if (most < listed.size()) {
            throw InvalidOption.refused(
                    "invalid number of nodes (-N " + listed.size() + "-" + most + ")");
        }
        int least = Math.max(given.least(), listed.size());
        return new NodeRange(least, most > least ? (Integer) most : null);
    }

    /// @param range the nodes asked for at least and at most
    void write(SubmissionDraft.Nodes to, NodeRange range, int cpusPerTask) {
        to.constraint = constraint;
        to.nodeList = nodeList;
        to.excludedNodes = excludedNodes;
        to.exclusive = exclusive;
        to.switches = switches;
        to.reservation = reservation;
        to.licenses = licenses;
        to.sockets = sockets;
        to.coresPerSocket = cores;
        to.threadsPerCore = threads;
        to.maxNodes = leastNodes ? null : range.most();
        to.contiguous = contiguous;
        to.minCpusPerNode = minCpus;
        to.tmpMib = tmpMib;
        to.exclusiveUser = exclusiveUser;
        to.exclusiveTopo = exclusiveTopo;
        to.oversubscribe = oversubscribe;
        to.segment = segment;
        to.parallel = parallel;
        to.gpusPerSocket = gpusPerSocket;
        to.tasksPerSocket = tasksPerSocket;
        to.topology = topology;
        to.threadsUsed = threadsUsed(cpusPerTask);
        to.prefer = prefer;
    }
}
