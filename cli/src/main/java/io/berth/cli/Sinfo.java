package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.cli.NodeField.Line;
import io.berth.slurm.HostList;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// `sinfo`: partitions and their nodes.
final class Sinfo implements Command {

    private static final int LEAST_NAME_WIDTH = 9;

    private static final List<CliOption> OPTIONS =
            List.of(
                    flag("all", 'a', "hidden partitions too").from("SINFO_ALL"),
                    CliOption.CLUSTERS,
                    flag("dead", 'd', "only nodes that do not respond"),
                    flag("exact", 'e', "nothing more: only nodes that are alike share a line"),
                    valued("format", 'o', "columns, such as \"%P %D %t %G\""),
                    valued(
                            "Format",
                            'O',
                            "columns by name, such as \"NodeHost:10,StateLong,Gres\""),
                    flag("help", '\0', "this text"),
                    flag("hide", '\0', "hidden partitions are left out, also with -a"),
                    Iteration.OPTION,
                    DataForm.OPTIONS.getFirst(),
                    DataForm.OPTIONS.getLast(),
                    flag("list-reasons", 'R', "why nodes are drained, down or silent"),
                    flag("long", 'l', "with more columns"),
                    flag("Node", 'N', "one line for each node"),
                    flag("noconvert", '\0', "nothing: memory is told in MiB"),
                    valued("nodes", 'n', "only these nodes"),
                    flag("noheader", 'h', "without the line of titles"),
                    valued("partition", 'p', "only these partitions").from("SINFO_PARTITION"),
                    flag("summarize", 's', "one line for each partition"),
                    flag("reservation", 'T', "the reservations"),
                    flag("responding", 'r', "only nodes that respond"),
                    valued("sort", 'S', "order, such as \"#P,-t\"").from("SINFO_SORT"),
                    valued("states", 't', "only nodes in these states"),
                    CliOption.USAGE,
                    flag("version", 'V', "Berth's version"),
                    CliOption.FEDERATION,
                    CliOption.LOCAL,
                    CliOption.VERBOSE);

    @Override
    public String synopsis() {
        return "sinfo [-l] [-N] [-p PARTITION] [-o FORMAT]: partitions and their nodes";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public boolean takesOperands() {
        return false;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        MeshClient client = MeshClient.of(terminal, "sinfo");
        if (words.has("Format")) {
            var unused = named(words);
        }
        var unused = SinfoOrder.of(order(words), List.of());
        return Iteration.run(terminal, "sinfo", words, () -> list(terminal, words, client));
    }

    private static void list(Terminal terminal, Words words, MeshClient client)
            throws CommandFailure {
        if (words.has("reservation")) {
            reservations(terminal, client);
            return;
        }
        List<NodeView> nodes = nodes(client, words);
        List<String> named = words.list("partition");
        List<PartitionView> partitions = new ArrayList<>();
        for (PartitionView partition : PartitionView.all(client.get("/v1/partitions"))) {
            boolean shown =
                    (words.has("all") && !words.has("hide")) || !partition.json().flag("hidden");
            if (named.isEmpty() ? shown : named.contains(partition.name())) {
                partitions.add(partition);
            }
        }
        DataForm form = DataForm.of(words);
        if (form != null) {
            // What a partition has is of all its nodes, whichever are shown.
            List<NodeView> all = NodeView.all(client.get("/v1/nodes"));
            terminal.out().print(form.text(data(nodes, partitions, all)));
            return;
        }
        Layout<NodeField> layout =
                words.has("Format")
                        ? named(words)
                        : Layout.parse(
                                "sinfo",
                                words.value(
                                        "format",
                                        terminal.variable(
                                                "SINFO_FORMAT", usual(words, partitions, nodes))),
                                NodeField::of);
        if (!words.has("noheader")) {
            if (Iteration.dated(words)) {
                terminal.out().print(Dates.line(terminal.now(), terminal.zone().get()) + "\n");
            }
            terminal.out().print(layout.line(NodeField::header) + "\n");
        }
        var lines = new ArrayList<>(lines(layout, words, partitions, nodes, terminal.zone()));
        lines.sort(SinfoOrder.of(order(words), partitions));
        for (Line line : lines) {
            terminal.out().print(layout.line(field -> field.value(line)) + "\n");
        }
    }

    /// Empty for the usual order.
    private static String order(Words words) {
        return words.value("sort", "");
    }

    private static Layout<NodeField> named(Words words) throws CommandFailure {
        String names = words.value("Format", "");
        return names.equalsIgnoreCase("all")
                ? Layout.parse("sinfo", "%all", NodeField::of)
                : Layout.parseNames("sinfo", names, NodeField::named);
    }

    private static void reservations(Terminal terminal, MeshClient client) throws CommandFailure {
        List<ReservationView> all = ReservationView.all(client.get("/v1/reservations"));
        terminal.out()
                .print(
                        all.isEmpty()
                                ? ReservationView.NONE
                                : ReservationView.table(all, terminal.zone().get()));
    }

    private static List<NodeView> nodes(MeshClient client, Words words) throws CommandFailure {
        List<String> hosts = hosts(words);
        NodeStates states = NodeStates.of(words.list("states"));
        var nodes = new ArrayList<NodeView>();
        for (NodeView node : NodeView.all(client.get("/v1/nodes"))) {
            boolean responds = node.state().flag().isEmpty();
            boolean wanted =
                    (hosts == null || hosts.contains(node.name()))
                            && !words.has(responds ? "dead" : "responding");
            if (wanted && states.has(node.state())) {
                nodes.add(node);
            }
        }
        nodes.sort((one, other) -> HostList.ORDER.compare(one.name(), other.name()));
        return nodes;
    }

    private static @Nullable List<String> hosts(Words words) throws CommandFailure {
        String list = words.value("nodes");
        try {
            return list == null ? null : HostList.expand(list);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.error("sinfo", String.valueOf(e.getMessage()));
        }
    }

    /// Slurm's default columns; partitions and nodes are as wide as their longest name.
    private static String usual(Words words, List<PartitionView> partitions, List<NodeView> nodes) {
        int partition = LEAST_NAME_WIDTH;
        for (PartitionView view : partitions) {
            partition = Math.max(partition, view.marked().length());
        }
        int node = LEAST_NAME_WIDTH;
        for (NodeView view : nodes) {
            node = Math.max(node, view.name().length());
        }
        boolean more = words.has("long");
        if (words.has("list-reasons")) {
            return more ? "%20E %12u %19H %6t %N" : "%20E %9u %19H %N";
        }
        if (words.has("summarize")) {
            return "%" + partition + "P %.5a %.10l %.16F %N";
        }
        if (words.has("Node")) {
            String start = "%" + node + "N %.6D %." + partition + "P ";
            return more ? start + "%.11T %4c %.8z %.6m %.8d %.6w %.8f %20E" : start + "%6t";
        }
        return "%"
                + partition
                + (more
                        ? "P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N"
                        : "P %.5a %.10l %.6D %.6t %N");
    }

    private static List<Line> lines(
            Layout<NodeField> layout,
            Words words,
            List<PartitionView> partitions,
            List<NodeView> nodes,
            Supplier<ZoneId> zone) {
        var lines = new LinkedHashMap<String, Line>();
        if (words.has("list-reasons")) {
            List<NodeView> away = nodes.stream().filter(it -> !it.reason().isEmpty()).toList();
            if (!away.isEmpty()) {
                addLines(lines, layout, PartitionView.OF_ALL, away, zone);
            }
            return List.copyOf(lines.values());
        }
        if (words.has("Node")) {
            for (NodeView node : nodes) {
                for (PartitionView partition : partitions) {
                    if (belongs(node, partition)) {
                        lines.put(
                                node.name() + "\n" + partition.name(),
                                new Line(partition, List.of(node), zone));
                    }
                }
            }
            return List.copyOf(lines.values());
        }
        for (PartitionView partition : partitions) {
            addLines(lines, layout, partition, nodes, zone);
        }
        return List.copyOf(lines.values());
    }

    /// Nodes of a partition share a line if no column but one that counts them tells them apart.
    private static void addLines(
            Map<String, Line> lines,
            Layout<NodeField> layout,
            PartitionView partition,
            List<NodeView> nodes,
            Supplier<ZoneId> zone) {
        var mine = new ArrayList<NodeView>();
        for (NodeView node : nodes) {
            if (belongs(node, partition)) {
                mine.add(node);
            }
        }
        mine.sort((one, other) -> Integer.compare(one.state().rank(), other.state().rank()));
        if (mine.isEmpty()) {
            lines.put(partition.name(), new Line(partition, List.of(), zone));
        }
        for (NodeView node : mine) {
            var alone = new Line(partition, List.of(node), zone);
            var key = new StringBuilder(partition.name());
            for (Layout.Column<NodeField> column : layout.columns()) {
                key.append('\n')
                        .append(column.field().aggregates() ? "" : column.field().value(alone));
            }
            lines.computeIfAbsent(key.toString(), _ -> new Line(partition, new ArrayList<>(), zone))
                    .nodes()
                    .add(node);
        }
    }

    private static boolean belongs(NodeView node, PartitionView partition) {
        return partition.name().isEmpty()
                || node.json().texts("partitions").contains(partition.name());
    }

    private static Map<String, @Nullable Object> data(
            List<NodeView> nodes, List<PartitionView> partitions, List<NodeView> ofCluster) {
        var items = new ArrayList<Map<String, @Nullable Object>>();
        for (NodeView node : nodes) {
            items.add(SinfoJson.fields(node));
        }
        Map<String, @Nullable Object> all = SlurmData.of("openapi", "nodes", items);
        all.put(
                "partitions",
                partitions.stream().map(it -> PartitionData.fields(it, ofCluster)).toList());
        return all;
    }
}
