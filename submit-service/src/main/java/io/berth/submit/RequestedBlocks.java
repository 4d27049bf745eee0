package io.berth.submit;

import static io.berth.submit.Checks.invalid;
import static io.berth.submit.Checks.number;
import static io.berth.submit.Checks.quoted;

import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.FeatureExpression;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.NodeSeen;
import io.berth.slurm.JobSubmission;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// In which segments a submission's nodes lie, and whether their GPUs are linked.
///
/// A job that is `data` parallel takes the nodes that are nearest, as every job does. One that is
/// `model` parallel is one NVLink island or nothing: on one node its GPUs are linked to one
/// another, on several they are in one block, too.
final class RequestedBlocks {

    static final String UNAVAILABLE = "Requested topology configuration is not available: ";

    private RequestedBlocks() {}

    /// @param nodes all registered nodes
    static ResourceRequest within(
            ResourceRequest request,
            JobSubmission.Nodes asked,
            Cluster cluster,
            Collection<NodeSeen> nodes)
            throws Refused {
        boolean model = model(asked.parallel());
        int segment = (int) number("the nodes of a segment", asked.segment(), 1, 1 << 16, 0);
        return within(request, segment, model, cluster, nodes);
    }

    /// @param request of which nothing is said of segments yet
    /// @param asked nodes of each segment; 0 is what `model` makes it
    /// @param model whether the job is one NVLink island
    /// @param nodes all registered nodes
    static ResourceRequest within(
            ResourceRequest request,
            int asked,
            boolean model,
            Cluster cluster,
            Collection<NodeSeen> nodes)
            throws Refused {
        if (asked == 0 && !model) {
            return request;
        }
        int segment = asked == 0 ? request.nodes() : asked;
        if (request.mostNodes() == 1 && model && segment == 1) {
            return request.on(request.where().inBlocks(null, true));
        }
        check(request, segment, model);
        int largest = largest(cluster.blocks(), nodes);
        if (!nodes.isEmpty() && largest < segment) {
            throw invalid(
                    UNAVAILABLE
                            + (largest == 0
                                    ? "there are no blocks of nodes"
                                    : "segments of %d nodes, and the largest block has %d"
                                            .formatted(segment, largest)));
        }
        return request.on(request.where().inBlocks(segment, model));
    }

    private static boolean model(@Nullable String parallel) throws Refused {
        if (parallel != null && !parallel.equals("data") && !parallel.equals("model")) {
            throw invalid(
                    "parallel is " + quoted(parallel) + ": 'data' or 'model' is what it may be");
        }
        return "model".equals(parallel);
    }

    private static boolean counts(@Nullable FeatureExpression features) {
        return features != null && features.nodesCounted() > 1;
    }

    private static void check(ResourceRequest request, int segment, boolean model) throws Refused {
        NodeConstraints where = request.where();
        String other =
                request.range() != null
                        ? "a range of nodes"
                        : where.sideBySide()
                                ? "--contiguous"
                                : where.switches() != null
                                        ? where.switches().level() == null
                                                ? "--switches"
                                                : "--topology"
                                        : !request.nodesAmong().isEmpty()
                                                ? "nodes that must be among others"
                                                : counts(where.features()) || counts(where.prefer())
                                                        ? "features that are counted"
                                                        : request.nodesBySize().size() > 1
                                                                ? "tasks or GPUs that are not the"
                                                                        + " same on each node"
                                                                : null;
        if (other != null) {
            throw invalid("nodes in segments and " + other + " exclude each other");
        }
        if (request.nodes() % segment != 0 || (model && segment != request.nodes())) {
            throw invalid(
                    UNAVAILABLE
                            + "%d nodes do not divide into segments of %d%s"
                                    .formatted(
                                            request.nodes(),
                                            segment,
                                            model ? " for a job that is one NVLink island" : ""));
        }
    }

    /// How many registered nodes the largest block has.
    private static int largest(@Nullable Blocks blocks, Collection<NodeSeen> nodes) {
        Map<NodeName, String> configured = new HashMap<>();
        for (Block block : blocks == null ? List.<Block>of() : blocks.blocks()) {
            block.nodes().forEach(node -> configured.put(node, block.name()));
        }
        Map<String, Integer> sizes = new HashMap<>();
        for (NodeSeen node : nodes) {
            String block = blocks == null ? node.inventory().fabric() : configured.get(node.node());
            if (block != null) {
                sizes.merge(block, 1, Integer::sum);
            }
        }
        return sizes.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }
}
