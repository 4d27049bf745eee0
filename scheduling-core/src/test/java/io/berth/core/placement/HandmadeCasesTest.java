package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.FeatureExpression;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.NodeRange;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Switch;
import io.berth.contracts.event.NodeRequest;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Cases made by hand: which nodes and GPUs one job gets on a small cluster, or why it waits.
///
/// Columns: nodes as `name:cpus/gpus type [feature]`, drained ones with `!`; what jobs hold before,
/// as `gpus@node` or `cpus c@node`; the job, as `nodes x GPUs a node` and what else it asks for;
/// where it runs as `node:GPU indices`, or its reason.
final class HandmadeCasesTest {

    private static final String FOUR = "n1:8/4 n2:8/4 n3:8/4 n4:8/4";
    private static final String RACKS =
            "n1:8/4/a100/rack1 n2:8/4/a100/rack1 n3:8/4/a100/rack1 n4:8/4/a100/rack2 n5:8/4/a100/rack2 n6:8/4/a100/rack2";
    private static final String MIXED = "a1:8/4/a100 a2:8/4/a100/nvme h1:16/8/h100 c1:32/0";

    private final TestCell cell = new TestCell();
    private long id = 100;

    @ParameterizedTest(name = "{0}: {2} beside {1}")
    @CsvSource(
            delimiter = ';',
            textBlock =
                    """
                    # One node: the tightest, then the first by name
                    four  ; -                 ; 1x1              ; n1:0
                    four  ; -                 ; 1x4              ; n1:0,1,2,3
                    four  ; 2@n3              ; 1x1              ; n3:2
                    four  ; 2@n3 3@n2         ; 1x1              ; n2:3
                    four  ; 2@n3 3@n2         ; 1x2              ; n3:2,3
                    four  ; 1@n1 1@n2         ; 1x4              ; n3:0,1,2,3
                    four  ; 1@n1 1@n2 1@n3 1@n4 ; 1x4            ; Resources
                    four  ; -                 ; 1x5              ; BadConstraints
                    four  ; 4c@n1             ; 1x0 cpus=5       ; n2:
                    four  ; 4c@n1             ; 1x0 cpus=4       ; n1:
                    four  ; -                 ; 1x0 cpus=9       ; BadConstraints
                    four  ; 4@n1 4@n2 4@n3 4@n4 ; 1x0            ; n1:
                    four  ; 4@n1 4@n2 4@n3 4@n4 ; 1x1            ; Resources
                    # Kinds of nodes and of GPUs
                    mixed ; -                 ; 1x0              ; c1:
                    mixed ; -                 ; 1x0 cpus=20      ; c1:
                    mixed ; -                 ; 1x1              ; a1:0
                    mixed ; -                 ; 1x1 h100         ; h1:0
                    mixed ; -                 ; 1x5              ; h1:0,1,2,3,4
                    mixed ; -                 ; 1x5 a100         ; BadConstraints
                    mixed ; -                 ; 1x1 v100         ; BadConstraints
                    mixed ; 8@h1              ; 1x1 h100         ; Resources
                    mixed ; 4@a1              ; 1x4 a100         ; a2:0,1,2,3
                    mixed ; 4@a1 4@a2         ; 1x4              ; h1:0,1,2,3
                    mixed ; -                 ; 1x1 -C=nvme      ; a2:0
                    mixed ; 4@a2              ; 1x1 -C=nvme      ; Resources
                    mixed ; -                 ; 1x1 -C=nvme|h100 ; a2:0
                    mixed ; 4@a2              ; 1x1 -C=nvme|h100 ; h1:0
                    mixed ; -                 ; 1x1 -C=nvme&h100 ; BadConstraints
                    # Names
                    four  ; -                 ; 1x1 -w=n3        ; n3:0
                    four  ; 4@n3              ; 1x1 -w=n3        ; Resources
                    four  ; -                 ; 1x1 -x=n1,n2     ; n3:0
                    four  ; -                 ; 1x1 -x=n1,n2,n3,n4 ; BadConstraints
                    drain ; -                 ; 1x1              ; n2:0
                    drain ; -                 ; 1x1 -w=n1        ; ReqNodeNotAvail
                    drain ; -                 ; 4x1              ; ReqNodeNotAvail
                    # Gangs: all or none
                    four  ; -                 ; 2x4              ; n1:0,1,2,3 n2:0,1,2,3
                    four  ; 1@n1              ; 2x4              ; n2:0,1,2,3 n3:0,1,2,3
                    four  ; 1@n1 1@n2 1@n3    ; 2x4              ; Resources
                    four  ; -                 ; 5x1              ; BadConstraints
                    four  ; 3@n4              ; 4x1              ; n4:3 n1:0 n2:0 n3:0
                    mixed ; -                 ; 2x4 a100         ; a1:0,1,2,3 a2:0,1,2,3
                    mixed ; -                 ; 3x4              ; a1:0,1,2,3 a2:0,1,2,3 h1:0,1,2,3
                    mixed ; -                 ; 2x1 -C=[a100|h100] ; a1:0 a2:0
                    four  ; -                 ; 2x1 -w=n4        ; n4:0 n1:0
                    four  ; 4@n2              ; 3x1 row          ; Resources
                    four  ; 4@n1              ; 3x1 row          ; n2:0 n3:0 n4:0
                    four  ; 4@n2              ; 2x1 upto=4       ; n1:0 n3:0 n4:0
                    four  ; 4@n2 4@n3 4@n4    ; 2x1 upto=4       ; Resources
                    # So many of each of some groups, or all of one
                    racks ; -                 ; 3x1 -C=[rack1*1&rack2*2] ; n1:0 n4:0 n5:0
                    racks ; -                 ; 3x1 -C=rack2*2   ; n1:0 n4:0 n5:0
                    racks ; -                 ; 4x1 -C=rack2*1&a100 ; n1:0 n2:0 n3:0 n4:0
                    racks ; 4@n4 4@n5         ; 3x1 -C=rack2*2   ; Resources
                    racks ; -                 ; 3x1 -C=[(rack1|rack2)*1&rack2*2] ; n1:0 n4:0 n5:0
                    racks ; 4@n1 4@n2 4@n3    ; 3x1 -C=[(rack1|rack2)*1&rack2*2] ; n4:0 n5:0 n6:0
                    racks ; -                 ; 4x1 -C=[rack1*2&rack2*3] ; BadConstraints
                    racks ; -                 ; 4x1 -C=rack1*4   ; BadConstraints
                    racks ; -                 ; 1x1 -C=rack2*1   ; n4:0
                    racks ; 4@n1 4@n2         ; 2x4 -C=[rack1|rack2] ; n4:0,1,2,3 n5:0,1,2,3
                    racks ; 4@n1 4@n2 4@n4 4@n5 ; 2x4 -C=[rack1|rack2] ; Resources
                    racks ; -                 ; 4x1 -C=[rack1|rack2] ; BadConstraints
                    racks ; 4@n2 4@n4         ; 2x4 -C=[rack1*2|rack2*2] ; n1:0,1,2,3 n3:0,1,2,3
                    racks ; -                 ; 2x1 row -C=[rack1*1&rack2*1] ; n3:0 n4:0
                    # Rather these, in place of those that it must have
                    racks ; -                 ; 1x1 -P=rack2     ; n4:0
                    racks ; 1@n2              ; 1x1 -P=rack2     ; n4:0
                    racks ; 4@n4 4@n5 4@n6    ; 1x1 -P=rack2     ; n1:0
                    racks ; -                 ; 1x1 -P=nowhere   ; n1:0
                    racks ; -                 ; 2x4 -P=rack2     ; n4:0,1,2,3 n5:0,1,2,3
                    racks ; 4@n4 4@n5         ; 2x4 -P=rack2     ; n1:0,1,2,3 n2:0,1,2,3
                    racks ; -                 ; 4x1 -P=rack2     ; n1:0 n2:0 n3:0 n4:0
                    racks ; 4@n4 4@n5         ; 2x1 -P=[rack2|rack1] ; n1:0 n2:0
                    racks ; -                 ; 3x1 -P=rack2*2   ; n1:0 n4:0 n5:0
                    mixed ; -                 ; 1x1 -C=a100 -P=h100 ; h1:0
                    mixed ; 8@h1              ; 1x1 -C=a100 -P=h100 ; a1:0
                    mixed ; 8@h1 4@a1 4@a2    ; 1x1 -C=a100 -P=h100 ; Resources
                    mixed ; -                 ; 1x1 -C=v100 -P=h100 ; h1:0
                    heavy ; -                 ; 1x1 -P=first     ; n1:0
                    heavy ; -                 ; 2x1 -C=[first*1&a100*1] ; n1:0 n2:0
                    heavy ; 4@n2 4@n3         ; 1x1 -P=first     ; n1:0
                    heavier ; -               ; 2x1 -P=first     ; n1:0 n2:0
                    heavier ; -               ; 2x1              ; n3:0 n4:0
                    heavier ; 4@n2            ; 2x1 -P=first     ; n3:0 n4:0
                    # Weights: n1 is the heaviest; of heavier, n2 is as heavy
                    heavy ; -                 ; 1x1              ; n2:0
                    heavy ; 1@n1              ; 1x1              ; n2:0
                    heavy ; 4@n2 4@n3 4@n4    ; 1x1              ; n1:0
                    heavy ; -                 ; 3x1              ; n2:0 n3:0 n4:0
                    heavy ; 4@n2              ; 3x1              ; n1:0 n3:0 n4:0
                    heavy ; -                 ; 2x1 -w=n1        ; n1:0 n2:0
                    # All of a node
                    four  ; 1@n1              ; 1x1 ex           ; n2:0,1,2,3
                    four  ; 1@n1 1@n2 1@n3 1@n4 ; 1x0 ex         ; Resources
                    # Switches: n1 and n2 under one, n3 and n4 under another
                    tree  ; -                 ; 2x4              ; n1:0,1,2,3 n2:0,1,2,3
                    tree  ; 1@n1              ; 2x4              ; n3:0,1,2,3 n4:0,1,2,3
                    tree  ; 1@n1 1@n3         ; 2x4              ; n2:0,1,2,3 n4:0,1,2,3
                    tree  ; 1@n1 1@n3         ; 2x4 sw=1         ; Resources
                    tree  ; 1@n1              ; 2x4 sw=1         ; n3:0,1,2,3 n4:0,1,2,3
                    tree  ; -                 ; 3x4 sw=2         ; n1:0,1,2,3 n2:0,1,2,3 n3:0,1,2,3
                    tree  ; -                 ; 2x1 sw=1 -w=n4   ; n4:0 n3:0
                    tree  ; 4@n1 4@n4         ; 2x1 row          ; n2:0 n3:0
                    tree  ; 4@n1 4@n4         ; 2x1 row sw=1     ; Resources
                    """)
    void a_job_is_where_it_should_be(String nodes, String held, String job, String where) {
        register(nodes);
        hold(held);
        cell.submit(1, request(job));

        cell.round();

        assertThat(outcome()).isEqualTo(where);
    }

    private String outcome() {
        List<String> where = cell.where(1);
        return where.isEmpty()
                ? cell.job(1).reason().slurmName()
                : String.join(
                        " ", where.stream().map(it -> it.replaceFirst(":[^:]*:", ":")).toList());
    }

    private void register(String nodes) {
        if (nodes.equals("tree")) {
            underSwitches();
        }
        String all =
                switch (nodes) {
                    case "mixed" -> MIXED;
                    case "racks" -> RACKS;
                    default -> FOUR;
                };
        for (String node : all.split(" ")) {
            String[] words = node.split("[:/]");
            String name = words[0];
            String type = words.length > 3 ? words[3] : "a100";
            cell.node(name, Integer.parseInt(words[1]), Integer.parseInt(words[2]), type);
            if (words.length > 4) {
                cell.take(
                        new Input.NodeAsked(
                                new NodeRequest.FeaturesSet(
                                        new NodeName(name), "root", List.of(words[4]))));
            }
        }
        if (nodes.startsWith("heav")) {
            weigh("n1");
        }
        if (nodes.equals("heavier")) {
            weigh("n2");
        }
        if (nodes.equals("drain")) {
            cell.take(
                    new Input.NodeAsked(
                            new NodeRequest.DrainRequested(new NodeName("n1"), "root", "fan")));
        }
    }

    private void weigh(String name) {
        var node = new NodeName(name);
        cell.take(new Input.NodeAsked(new NodeRequest.WeightSet(node, "root", 5)));
        cell.take(new Input.NodeAsked(new NodeRequest.FeaturesSet(node, "root", List.of("first"))));
    }

    private void underSwitches() {
        cell.switches(
                new Switch(new Part(2, 1, 3), "top", List.of(), List.of("s1", "s2")),
                new Switch(new Part(2, 2, 3), "s1", List.of("n1", "n2"), List.of()),
                new Switch(new Part(2, 3, 3), "s2", List.of("n3", "n4"), List.of()));
    }

    private void hold(String held) {
        for (String it : held.equals("-") ? new String[0] : held.split(" ")) {
            String[] words = it.split("@");
            boolean cpus = words[0].endsWith("c");
            int count = Integer.parseInt(words[0].replace("c", ""));
            cell.submit(
                    id++, request((cpus ? "1x0 cpus=" + count : "1x" + count) + " -w=" + words[1]));
        }
        cell.round();
    }

    /// `2x4 a100 -C=nvme cpus=2`: 4 GPUs of that type on each of 2 such nodes, with 2 CPUs.
    private static ResourceRequest request(String text) {
        String[] words = text.split(" ");
        String[] size = words[0].split("x");
        Map<String, String> asked = new TreeMap<>();
        String type = null;
        for (String word : Arrays.copyOfRange(words, 1, words.length)) {
            String[] pair = word.split("=", 2);
            boolean named = pair.length > 1 || word.equals("ex") || word.equals("row");
            type = named ? type : word;
            asked.put(pair[0], pair.length > 1 ? pair[1] : "");
        }
        int nodes = Integer.parseInt(size[0]);
        String most = asked.get("upto");
        return new ResourceRequest(
                nodes,
                nodes,
                Integer.parseInt(asked.getOrDefault("cpus", "1")),
                MemoryRequest.perCpu(16),
                new GpuRequest(Integer.parseInt(size[1]), type),
                where(asked),
                null,
                null,
                most == null ? null : new NodeRange(nodes, Integer.parseInt(most), true));
    }

    private static NodeConstraints where(Map<String, String> asked) {
        String features = asked.get("-C");
        String rather = asked.get("-P");
        String switches = asked.get("sw");
        return new NodeConstraints(
                        features == null ? null : FeatureExpression.parse(features),
                        names(asked.getOrDefault("-w", "")),
                        names(asked.getOrDefault("-x", "")),
                        asked.containsKey("ex") ? Sharing.NODE : Sharing.SHARED,
                        switches == null ? null : new SwitchLimit(Integer.parseInt(switches), null),
                        null,
                        null,
                        asked.containsKey("row") ? true : null)
                .preferring(rather == null ? null : FeatureExpression.parse(rather));
    }

    private static List<NodeName> names(String list) {
        return list.isEmpty()
                ? List.of()
                : Arrays.stream(list.split(",")).map(NodeName::new).toList();
    }
}
