package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Switch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Of the sample nodes the two DGX are in a rack, the others in another; both are under a spine.
final class RequestedLevelTest {

    private static Configuration configuration() {
        var part = new Part(2, 1, 1);
        var entries = new ArrayList<ConfigEntry>(Samples.configEntries());
        entries.add(new Switch(part, "r1", names(Samples.DGX, Samples.DGX_2), List.of(), "rack"));
        entries.add(new Switch(part, "r2", names(Samples.VOLTA), List.of(), "rack"));
        entries.add(new Switch(part, "top", List.of(), List.of("r1", "r2")));
        return Configuration.of(2, entries);
    }

    private static List<String> names(io.berth.contracts.event.NodeSeen... nodes) {
        return List.of(nodes).stream().map(it -> it.node().value()).toList();
    }

    private static SwitchLimit limit(Map<String, ?> where) throws Refused {
        NodeConstraints asked =
                RequestedNodes.of(
                        Asked.with(Map.of("where", where)).nodesWanted(),
                        List.of(),
                        Samples.NODES,
                        false);
        return Objects.requireNonNull(Objects.requireNonNull(asked).switches());
    }

    private static void check(int nodes, SwitchLimit limit, Configuration configuration)
            throws Refused {
        var plain =
                new ResourceRequest(
                        nodes, nodes, 1, MemoryRequest.perNode(1), new GpuRequest(2, null));
        RequestedLevel.check(
                plain.on(NodeConstraints.NONE.under(limit)), configuration, Samples.NODES);
    }

    @Test
    void a_level_is_read_with_its_wait() throws Refused {
        assertThat(limit(Map.of("topology", "rack@10:00")))
                .isEqualTo(SwitchLimit.within("rack", 600L));
        assertThatThrownBy(() -> limit(Map.of("topology", "rack", "switches", "1")))
                .hasMessageContaining("--switches and --topology exclude each other");
        assertThatThrownBy(() -> limit(Map.of("topology", "r a")))
                .hasMessageContaining("Invalid --topology specification \"r a\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2 | row  | there is no level 'row' of the network; there are: rack, 1",
                "2 | block | there is no level 'block' of the network; there are: rack, 1",
                "3 | rack | 3 nodes in one domain of the level 'rack', and the largest has 2"
            })
    void a_level_that_there_is_not_or_that_cannot_hold_the_job_is_refused(
            int nodes, String level, String because) {
        assertThatThrownBy(() -> check(nodes, SwitchLimit.within(level, null), configuration()))
                .isInstanceOf(Refused.class)
                .hasMessageContaining(because);
    }

    @Test
    void what_can_be_had_or_is_given_up_in_time_is_taken() throws Refused {
        check(2, SwitchLimit.within("rack", null), configuration());
        check(3, SwitchLimit.within("rack", 60L), configuration());
        check(3, SwitchLimit.within("1", null), configuration());
        check(9, new SwitchLimit(1, null), configuration());
    }

    @Test
    void without_a_tree_there_are_no_levels() {
        assertThatThrownBy(
                        () -> check(2, SwitchLimit.within("rack", null), Samples.configuration()))
                .hasMessageEndingWith("there is no level 'rack' of the network");
    }
}
