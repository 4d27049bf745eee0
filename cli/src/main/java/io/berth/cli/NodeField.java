package io.berth.cli;

import io.berth.slurm.HostList;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A column of `sinfo`.
///
/// Source: sinfo(1), option `--format`.
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
    SHAPE('z', "S:C:T");

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

    static @Nullable NodeField of(char letter) {
        for (NodeField field : values()) {
            if (field.letter == letter) {
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
            case OVERSUBSCRIBE -> "NO";
            case ROOT -> partition.json().flag("rootOnly") ? "yes" : "no";
            case TIER -> Long.toString(partition.number("tier"));
            case PARTITION -> partition.marked();
            case PARTITION_NAME -> partition.name();
            case JOB_SIZE -> partition.jobSize();
            case NODES -> Integer.toString(line.nodes().size());
            case NODELIST -> HostList.compress(line.nodes().stream().map(NodeView::name).toList());
            case ALLOCATED_IDLE, NODES_BY_STATE, CPUS_BY_STATE -> counts(line.nodes());
            case CPUS,
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
            case FEATURES -> node.features();
            case REASON_USER ->
                    node.text("reasonUser").isEmpty() ? "Unknown" : node.text("reasonUser");
            case REASON_TIME -> Dates.iso(node.number("reasonAt"), zone.get(), "Unknown");
            case GRES -> node.gres();
            case MEMORY -> Long.toString(node.number("memoryMib"));
            case HOSTNAMES -> node.name();
            case CPU_LOAD -> hundredths(node.number("loadPercent"));
            case FREE_MEMORY ->
                    Long.toString(
                            Math.max(0, node.number("memoryMib") - node.number("memoryUsedMib")));
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
