package io.berth.placement;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.core.state.CellState;
import io.berth.core.state.Input;
import io.berth.log.Signatures;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/// Whether what stands in the log of a node is its agent's word: who may write to the topic is not
/// yet one whose reports count. A node's key is the one that its accepted registration names; a
/// registration is signed with the key that it names itself.
final class NodeKeys {

    private final Signatures signatures = new Signatures();

    /// Why an input does not count, in one line.
    Optional<String> objection(
            CellState state, Input input, ConsumerRecord<byte[], byte[]> record) {
        return switch (input) {
            case Input.Registered(var seen) -> objection(seen.node(), seen.key(), record);
            case Input.Reported(var report) ->
                    objection(report.node(), key(state, report.node()), record);
            case Input.Asked _,
                    Input.RankingRead _,
                    Input.NodeAsked _,
                    Input.SharesRead _,
                    Input.Configured _,
                    Input.PresenceChanged _,
                    Input.PlacingFailed _ ->
                    Optional.empty();
        };
    }

    private static @Nullable String key(CellState state, NodeName node) {
        return state.node(node).map(NodeStatus::seen).map(NodeSeen::key).orElse(null);
    }

    private Optional<String> objection(
            NodeName node, @Nullable String key, ConsumerRecord<byte[], byte[]> record) {
        return key == null
                ? Optional.empty()
                : signatures
                        .objection(record, key)
                        .map(why -> "not the word of node " + node + ": " + why);
    }
}
