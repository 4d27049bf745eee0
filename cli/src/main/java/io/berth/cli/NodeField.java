package io.berth.cli;

import io.berth.slurm.HostList;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A column of `sinfo`.
///
/// Source: sinfo(1), options `--format` and `--Format`.
enum NodeField {
    AVAIL('a', "AVAIL"),
    ALLOCATED_IDLE('A', "NODES(A/I)"),
    CPUS('c', "CPUS"),
    CPUS_BY_STATE('C', "CPUS(A/I/O/T)"),
    TMP_DISK('d', "TMP_DISK"),
    NODES('D', "NODES"),
    REASON('E', "REASON"),
    FEATURES('f', "AVAIL_FEATURES"),
    NODES_BY_STATE('F', "NODES(A/I/O/T)"),
    GROUPS('g', "GROUPS"),
    GRES('G', "GRES"),
    OVERSUBSCRIBE('h', "OVERSUBSCRIBE"),
    TIME_LIMIT('l', "TIMELIMIT"),
    MEMORY('m', "MEMORY"),
    REASON_TIME('H', "TIMESTAMP"),
    REASON_USER('u', "USER"),
    HOSTNAMES('n', "HOSTNAMES"),
    NODELIST('N', "NODELIST"),
    CPU_LOAD('O', "CPU_LOAD"),
    FREE_MEMORY('e', "FREE_MEM"),
    TIER('p', "PRIO_TIER"),
    PARTITION('P', "PARTITION"),
    ROOT('r', "ROOT"),
    PARTITION_NAME('R', "PARTITION"),
    JOB_SIZE('s', "JOB_SIZE"),
    STATE('t', "STATE"),
    STATE_FULL('T', "STATE"),
    WEIGHT('w', "WEIGHT"),
    SOCKETS('X', "SOCKETS"),
    CORES('Y', "CORES"),
    THREADS('Z', "THREADS"),
    SHAPE('z', "S:C:T"),
    ACTIVE_FEATURES('b', "ACTIVE_FEATURES"),
    ALLOC_NODES('S', "ALLOCNODES"),
    CLUSTER('V', "CLUSTER"),
    DEFAULT_TIME('L', "DEFAULTTIME"),
    JOB_FACTOR('I', "PRIO_JOB_FACTOR"),
    NODE_ADDRESS('o', "NODE_ADDR"),
    PREEMPT_MODE('M', "PREEMPT_MODE"),
    VERSION('v', "VERSION"),
    ALLOC_MEMORY(NodeField.NO_LETTER, "ALLOCMEM"),
    GRES_USED(NodeField.NO_LETTER, "GRES_USED");

    private static final char NO_LETTER = '\0';

    /// Nodes of one partition that stand in one line; none for a partition without nodes.
    ///
    /// @param zone of the clock on the wall
    record Line(PartitionView partition, List<NodeView> nodes, Supplier<ZoneId> zone) {}

    private final char letter;
    private final String header;

    NodeField(char letter, String header) {
        this.letter = letter;
        this.header = header;
    }

    String header() {
        return header;
    }

    /// The field that `-O` knows by a name, of whatever case.
    ///
    /// Source: sinfo(1), option `--Format`.
    static @Nullable NodeField named(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "allocmem" -> ALLOC_MEMORY;
            case "allocnodes" -> ALLOC_NODES;
            case "available" -> AVAIL;
            case "cluster" -> CLUSTER;
            case "cores" -> CORES;
            case "cpus" -> CPUS;
            case "cpusload" -> CPU_LOAD;
            case "cpusstate" -> CPUS_BY_STATE;
            case "defaulttime" -> DEFAULT_TIME;
            case "disk" -> TMP_DISK;
            case "features" -> FEATURES;
            case "featuresact" -> ACTIVE_FEATURES;
            case "freemem" -> FREE_MEMORY;
            case "gres" -> GRES;
            case "gresused" -> GRES_USED;
            case "groups" -> GROUPS;
            case "memory" -> MEMORY;
            case "nodeaddr" -> NODE_ADDRESS;
            case "nodeai" -> ALLOCATED_IDLE;
            case "nodeaiot" -> NODES_BY_STATE;
            case "nodehost" -> HOSTNAMES;
            case "nodelist" -> NODELIST;
            case "nodes" -> NODES;
            case "oversubscribe" -> OVERSUBSCRIBE;
            case "partition" -> PARTITION;
            case "partitionname" -> PARTITION_NAME;
            case "preemptmode" -> PREEMPT_MODE;
            case "priorityjobfactor" -> JOB_FACTOR;
            case "prioritytier" -> TIER;
            case "reason" -> REASON;
            case "root" -> ROOT;
            case "size" -> JOB_SIZE;
            case "socketcorethread" -> SHAPE;
            case "sockets" -> SOCKETS;
            case "statecompact" -> STATE;
            case "statelong" -> STATE_FULL;
            case "threads" -> THREADS;
            case "time" -> TIME_LIMIT;
            case "timestamp" -> REASON_TIME;
            case "user" -> REASON_USER;
            case "version" -> VERSION;
            case "weight" -> WEIGHT;
            default -> null;
        };
    }

    static @Nullable NodeField of(char letter) {
        for (NodeField field : values()) {
            if (letter != NO_LETTER && field.letter == letter) {
                return field;
            }
        }
        return null;
    }

    /// Whether the value is made of all nodes of a line, so that it tells no two nodes apart.
    boolean aggregates() {
        return switch (this) {
            case ALLOCATED_IDLE, CPUS_BY_STATE, NODES, NODES_BY_STATE, NODELIST -> true;
            default -> false;
        };
    }

    String value(Line line) {
        PartitionView partition = line.partition();
        return switch (this) {
            case AVAIL ->
                    partition.state().equals("UP")
                            ? "up"
                            : partition.state().toLowerCase(Locale.ROOT);
            case TIME_LIMIT -> partition.briefTimeLimit();
            case GROUPS -> partition.groups();
            case OVERSUBSCRIBE -> partition.overSubscribe();
            case ROOT -> partition.json().flag("rootOnly") ? "yes" : "no";
            case CLUSTER -> "N/A";
            case ALLOC_NODES ->
                    partition.json().has("allocNodes")
                            ? String.join(",", partition.json().texts("allocNodes"))
                            : "ALL";
            case DEFAULT_TIME -> partition.defaultTime();
            case JOB_FACTOR -> Long.toString(partition.number("jobFactor"));
            case PREEMPT_MODE -> partition.json().text("preemptMode");
            case TIER -> Long.toString(partition.number("tier"));
            case PARTITION -> partition.marked();
            case PARTITION_NAME -> partition.name();
            case JOB_SIZE -> partition.jobSize();
            case NODES -> Integer.toString(line.nodes().size());
            case NODELIST -> HostList.compress(line.nodes().stream().map(NodeView::name).toList());
            case ALLOCATED_IDLE, NODES_BY_STATE, CPUS_BY_STATE -> counts(line.nodes());
            case ACTIVE_FEATURES,
                    ALLOC_MEMORY,
                    GRES_USED,
                    NODE_ADDRESS,
                    VERSION,
                    CPUS,
                    TMP_DISK,
                    REASON,
                    REASON_USER,
                    REASON_TIME,
                    FEATURES,
                    GRES,
                    MEMORY,
                    HOSTNAMES,
                    CPU_LOAD,
                    FREE_MEMORY,
                    STATE,
                    STATE_FULL,
                    WEIGHT,
                    SOCKETS,
                    CORES,
                    THREADS,
                    SHAPE ->
                    line.nodes().isEmpty() ? "n/a" : ofNode(line.nodes().getFirst(), line.zone());
        };
    }

    private String ofNode(NodeView node, Supplier<ZoneId> zone) {
        return switch (this) {
            case CPUS -> Long.toString(node.number("cpus"));
            case TMP_DISK -> Long.toString(node.number("tmpMib"));
            case REASON -> node.reason().isEmpty() ? "none" : node.reason();
            case FEATURES, ACTIVE_FEATURES -> node.features();
            case ALLOC_MEMORY -> Long.toString(node.number("memoryAllocatedMib"));
            case GRES_USED -> node.gresUsed();
            case VERSION -> node.text("agentVersion");
            case REASON_USER ->
                    node.text("reasonUser").isEmpty() ? "Unknown" : node.text("reasonUser");
            case REASON_TIME -> Dates.iso(node.number("reasonAt"), zone.get(), "Unknown");
            case GRES -> node.gres();
            case MEMORY -> Long.toString(node.number("memoryMib"));
            case HOSTNAMES, NODE_ADDRESS -> node.name();
            case CPU_LOAD -> hundredths(node.number("loadPercent"));
            case FREE_MEMORY -> Long.toString(node.freeMemoryMib());
            case STATE -> node.state().brief();
            case STATE_FULL -> node.state().full();
            case WEIGHT -> node.weight();
            case SOCKETS -> Long.toString(Math.max(1, node.number("sockets")));
            case CORES -> Long.toString(Math.max(1, node.number("coresPerSocket")));
            case THREADS -> Long.toString(Math.max(1, node.number("threadsPerCore")));
            default -> node.shape();
        };
    }

    static String hundredths(long number) {
        return number / 100 + "." + (number % 100 < 10 ? "0" : "") + number % 100;
    }

    /// Allocated, idle, other and all: of nodes, or of CPUs.
    private String counts(List<NodeView> nodes) {
        long allocated = 0;
        long idle = 0;
        long total = 0;
        for (NodeView node : nodes) {
            boolean cpus = this == CPUS_BY_STATE;
            long size = cpus ? node.number("cpus") : 1;
            boolean usable = node.state().allocated() || node.state().idle();
            long used = cpus ? node.number("cpusAllocated") : node.state().allocated() ? 1 : 0;
            total += size;
            allocated += used;
            idle += usable ? size - used : 0;
        }
        return allocated
                + "/"
                + idle
                + (this == ALLOCATED_IDLE ? "" : "/" + (total - allocated - idle) + "/" + total);
    }
}
