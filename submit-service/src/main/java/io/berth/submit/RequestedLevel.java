package io.berth.submit;

import static io.berth.submit.Checks.invalid;
import static io.berth.submit.Checks.quoted;

import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.config.Levels;
import io.berth.contracts.event.NodeSeen;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The level of the network of which a submission's nodes are in one domain.
final class RequestedLevel {

    private RequestedLevel() {}

    /// @param nodes all registered nodes
    /// @throws Refused if there is no such level, or the job waits without end for a domain of more
    ///   nodes than any has
    static void check(
            ResourceRequest request, Configuration configuration, Collection<NodeSeen> nodes)
            throws Refused {
        SwitchLimit limit = request.where().switches();
        String level = limit == null ? null : limit.level();
        if (limit == null || level == null) {
            return;
        }
        var levels = new Levels(configuration.switches().values());
        Map<String, Integer> sizes = new HashMap<>();
        Map<String, Integer> blocks = new HashMap<>();
        Map<String, String> domains = levels.domains(level);
        var places = new NodePlaces(configuration);
        for (NodeSeen node : nodes) {
            count(blocks, places.block(node.node(), node.inventory()));
            count(sizes, domains.get(node.node().value()));
        }
        var names = new ArrayList<>(levels.names());
        if (!blocks.isEmpty() || configuration.cluster().blocks() != null) {
            names.addFirst(Levels.BLOCK);
        }
        if (!names.contains(level)) {
            throw invalid(
                    RequestedBlocks.UNAVAILABLE
                            + "there is no level "
                            + quoted(level)
                            + " of the network"
                            + (names.isEmpty() ? "" : "; there are: " + String.join(", ", names)));
        }
        int largest =
                (level.equals(Levels.BLOCK) ? blocks : sizes)
                        .values().stream().mapToInt(Integer::intValue).max().orElse(0);
        if (limit.endless() && !nodes.isEmpty() && request.nodes() > Math.max(1, largest)) {
            throw invalid(
                    RequestedBlocks.UNAVAILABLE
                            + "%d nodes in one domain of the level %s, and the largest has %d"
                                    .formatted(request.nodes(), quoted(level), largest));
        }
    }

    private static void count(Map<String, Integer> sizes, @Nullable String domain) {
        if (domain != null) {
            sizes.merge(domain, 1, Integer::sum);
        }
    }
}
