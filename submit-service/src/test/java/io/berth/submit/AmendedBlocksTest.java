package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.Amendment;
import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobState;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// All four sample nodes are one block.
final class AmendedBlocksTest {

    private static final Blocks ONE =
            new Blocks(
                    List.of(new Block("all", Samples.NODES.stream().map(NodeSeen::node).toList())),
                    List.of());

    private static ResourceRequest request(int nodes, @Nullable Integer segment, boolean model) {
        return new ResourceRequest(
                        nodes, nodes, 1, MemoryRequest.perNode(1), new GpuRequest(1, null))
                .on(NodeConstraints.NONE.inBlocks(segment, model));
    }

    private static ResourceRequest amended(ResourceRequest request, Map<String, ?> change)
            throws Refused {
        Configuration configuration =
                Samples.configuration(
                        it -> it instanceof Cluster all ? all.with(to -> to.blocks = ONE) : it);
        var caller = new Caller("alice", AdminLevel.NONE, "10.0.0.1");
        var status =
                Samples.status(
                        1,
                        Samples.description("alice", "batch", 1).with(request),
                        JobState.PENDING,
                        Reason.RESOURCES,
                        Rank.NONE);
        var admission = new Admission(configuration, Samples.NODES, caller, 1000, 0);
        Amendment amendment =
                new Amendments(admission, Samples.NODES, caller)
                        .of(
                                new JobFold().job(status, 0),
                                Json.mapper().convertValue(change, JobChange.class));
        return Objects.requireNonNull(amendment.request());
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "2, 4", "4, 2", "2, 1"})
    void an_island_stays_one_on_as_many_nodes_as_it_has_then(int before, int then) throws Refused {
        ResourceRequest island = request(before, before == 1 ? null : (Integer) before, true);

        ResourceRequest amended = amended(island, Map.of("nodes", then));

        assertThat(amended.nodes()).isEqualTo(then);
        assertThat(amended.segment()).isEqualTo(then == 1 ? 0 : then);
        assertThat(amended.where().linked()).isTrue();
    }

    @Test
    void segments_stay_as_large_as_they_are() throws Refused {
        ResourceRequest amended = amended(request(2, 2, false), Map.of("nodes", 4));

        assertThat(amended.segment()).isEqualTo(2);
        assertThat(amended.where().linked()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true  | nodes      | 5            | segments of 5 nodes, and the largest block has 4",
                "false | nodes      | 3            | 3 nodes do not divide into segments of 2",
                "false | nodeList   | dgx-01       | nodes that must be among others",
                "false | constraint | [a*1&b*1]    | features that are counted",
            })
    void what_submission_refuses_beside_segments_is_refused(
            boolean model, String what, String value, String because) {
        Object asked = what.equals("nodes") ? (Object) Integer.valueOf(value) : value;

        assertThatThrownBy(() -> amended(request(2, 2, model), Map.of(what, asked)))
                .isInstanceOfSatisfying(
                        Refused.class, it -> assertThat(it.refusal().detail()).contains(because));
    }
}
