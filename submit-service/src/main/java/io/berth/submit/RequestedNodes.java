package io.berth.submit;

import static io.berth.submit.Checks.invalid;
import static io.berth.submit.Checks.number;
import static io.berth.submit.Checks.quoted;

import io.berth.contracts.FeatureExpression;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.NodeShape;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.NodeSeen;
import io.berth.slurm.HostList;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.JobSubmission;
import io.berth.slurm.SwitchesText;
import io.berth.submit.Refusal.InvalidNode;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Which nodes a submission asks for, checked against the nodes that there are.
public final class RequestedNodes {

    private static final long MAX_TMP_MIB = 1L << 40;

    private RequestedNodes() {}

    /// Null for a job that any nodes will do for.
    ///
    /// @param partitions of the job
    /// @param nodes all registered nodes
    /// @param byCore whether jobs get whole cores
    static @Nullable NodeConstraints of(
            JobSubmission.Nodes asked,
            List<Partition> partitions,
            Collection<NodeSeen> nodes,
            boolean byCore)
            throws Refused {
        var constraints =
                new NodeConstraints(
                                features(asked.constraint()),
                                names(asked.nodeList(), nodes),
                                names(asked.excludedNodes(), nodes),
                                PartitionNodes.within(partitions, sharing(asked)),
                                limit(asked.switches(), asked.topology()),
                                asked.reservation(),
                                shape(asked, byCore),
                                asked.contiguous())
                        .preferring(features(asked.prefer()));
        return constraints.equals(NodeConstraints.NONE) ? null : constraints;
    }

    /// Why the partition has no nodes for a job that names some, or excludes some; empty if it has.
    ///
    /// @param candidates the registered nodes of the partition
    static Optional<String> outside(
            ResourceRequest request, Partition partition, Collection<NodeSeen> candidates) {
        List<NodeName> listed = request.where().nodeList();
        List<NodeName> others =
                listed.stream().filter(it -> !PartitionNodes.has(partition, it)).toList();
        if (listed.size() - others.size() < Math.min(listed.size(), request.nodes())) {
            return Optional.of("it does not have " + others.getFirst());
        }
        List<NodeName> excluded = request.where().excluded();
        return !candidates.isEmpty()
                        && candidates.stream().allMatch(it -> excluded.contains(it.node()))
                ? Optional.of("all its nodes are excluded")
                : Optional.empty();
    }

    private static Sharing sharing(JobSubmission.Nodes asked) {
        if (Boolean.TRUE.equals(asked.exclusive())) {
            return Sharing.NODE;
        }
        if (Boolean.TRUE.equals(asked.exclusiveUser())) {
            return Sharing.USER;
        }
        if (Boolean.TRUE.equals(asked.exclusiveTopo())) {
            return Sharing.TOPOLOGY;
        }
        return Boolean.TRUE.equals(asked.oversubscribe()) ? Sharing.OVERSUBSCRIBE : Sharing.SHARED;
    }

    /// @throws Refused if features count more nodes than there are, or a list names more nodes than
    ///   the job has at least and fewer than it may have
    static void check(ResourceRequest request) throws Refused {
        checkCounts(request.where().features(), request.nodes());
        checkCounts(request.where().prefer(), request.nodes());
        int listed = request.where().nodeList().size();
        if (listed > request.nodes() && listed < request.mostNodes()) {
            throw invalid(
                    "the list of nodes names %d, and the job has %d to %d: it must have all that it names"
                            .formatted(listed, request.nodes(), request.mostNodes()));
        }
    }

    private static void checkCounts(@Nullable FeatureExpression features, int nodes)
            throws Refused {
        if (features != null && features.nodesCounted() > nodes) {
            throw invalid(
                    "Invalid feature specification: '%s' counts %d nodes, and the job has %d"
                            .formatted(features, features.nodesCounted(), nodes));
        }
    }

    static @Nullable FeatureExpression features(@Nullable String text) throws Refused {
        try {
            FeatureExpression features =
                    text == null || text.isEmpty() ? null : FeatureExpression.parseBounded(text);
            if (features != null && !features.countsPlainly()) {
                throw invalid(
                        "Invalid feature specification: in '%s' a count such as a*2 must stand alone or between '&'"
                                .formatted(features));
            }
            return features;
        } catch (IllegalArgumentException e) {
            throw invalid("Invalid feature specification: " + e.getMessage());
        }
    }

    /// The nodes of a host list.
    ///
    /// @throws Refused if one of them is not registered
    public static List<NodeName> names(@Nullable String list, Collection<NodeSeen> nodes)
            throws Refused {
        if (list == null || list.isEmpty()) {
            return List.of();
        }
        try {
            List<NodeName> names = HostList.expand(list).stream().map(NodeName::new).toList();
            Set<NodeName> known = nodes.stream().map(NodeSeen::node).collect(Collectors.toSet());
            for (NodeName name : names) {
                if (!known.contains(name)) {
                    throw new Refused(
                            new InvalidNode(
                                    "Invalid node name specified: there is no node " + name));
                }
            }
            return names;
        } catch (IllegalArgumentException e) {
            throw new Refused(new InvalidNode("Invalid node name specified: " + quoted(list)));
        }
    }

    private static NodeShape shape(JobSubmission.Nodes asked, boolean byCore) throws Refused {
        Integer used =
                asked.threadsUsed() == null && byCore
                        ? asked.threadsPerCore()
                        : asked.threadsUsed();
        return new NodeShape(
                count("the number of sockets", asked.sockets()),
                count("the number of cores per socket", asked.coresPerSocket()),
                count("the number of threads per core", asked.threadsPerCore()),
                number("the temporary disk", asked.tmpMib(), 0, MAX_TMP_MIB, 0),
                asked.tasksPerSocket() == null
                        ? null
                        : count("the number of tasks per socket", asked.tasksPerSocket()),
                used == null ? null : count("the number of threads used of a core", used));
    }

    private static int count(String what, @Nullable Integer given) throws Refused {
        return (int) number(what, given, 1, 1 << 16, 0);
    }

    /// @param switches null or empty is none, as `topology`
    static @Nullable SwitchLimit limit(@Nullable String switches, @Nullable String topology)
            throws Refused {
        String few = switches == null || switches.isEmpty() ? null : switches;
        String level = topology == null || topology.isEmpty() ? null : topology;
        if (few != null && level != null) {
            throw invalid("--switches and --topology exclude each other");
        }
        try {
            return few != null
                    ? SwitchesText.parse(few)
                    : level == null ? null : SwitchesText.within(level);
        } catch (InvalidOption e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }
}
