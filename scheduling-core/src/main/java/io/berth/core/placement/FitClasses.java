package io.berth.core.placement;

import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SwitchLimit;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.core.engine.Demand;
import io.berth.core.engine.FitClass;
import io.berth.core.engine.FitClass.Choice;
import io.berth.core.engine.FitClass.Layout;
import io.berth.core.engine.FitClass.Size;
import io.berth.core.engine.FitClass.Terms;
import io.berth.core.engine.Network;
import io.berth.core.engine.Preemptor;
import io.berth.core.engine.Scheduling;
import io.berth.core.engine.Tenant;
import io.berth.core.packing.Policies;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The engine's classes of a model's requests, each made once.
final class FitClasses {

    /// What jobs of one class have in common.
    ///
    /// @param endless whether its jobs have no time limit; told only of those in a reservation
    /// @param plans whether its jobs may keep nodes for themselves while they wait
    /// @param tenant for whom they are
    /// @param magnets reservations whose nodes they use though they name none
    record Name(
            String partition,
            ResourceRequest request,
            @Nullable Preemptor preemptor,
            boolean endless,
            boolean plans,
            Tenant tenant,
            List<String> magnets) {}

    /// Jobs in a reservation are tried before those of every partition's tier.
    private static final int RESERVED_TIER = 1 << 20;

    private final Configuration configuration;
    private final NodeTable nodes;
    private final Topology topology;
    private final Reservations reservations;
    private final Licenses licenses;
    private final Tenants tenants;
    private final Scheduling engine;
    private final MigNodes mig;
    private final List<String> partitions;
    private final Map<Name, FitClass> classes = new HashMap<>();

    FitClasses(
            Configuration configuration,
            NodeTable nodes,
            Topology topology,
            Reservations reservations,
            Licenses licenses,
            Tenants tenants,
            Scheduling engine,
            MigNodes mig) {
        this.configuration = configuration;
        this.nodes = nodes;
        this.topology = topology;
        this.reservations = reservations;
        this.licenses = licenses;
        this.tenants = tenants;
        this.engine = engine;
        this.mig = mig;
        this.partitions = List.copyOf(configuration.partitions().keySet());
    }

    int size() {
        return classes.size();
    }

    FitClass of(Name name) {
        return classes.computeIfAbsent(name, this::make);
    }

    private FitClass make(Name name) {
        ResourceRequest request = name.request();
        return engine.fitClass(
                terms(name, request), mig.drains(request, name.partition(), only(request)));
    }

    /// @param request of the name, or the same on more nodes
    private Terms terms(Name name, ResourceRequest request) {
        Partition partition = configuration.partitions().get(name.partition());
        SwitchLimit limit = request.where().switches();
        String named = limit == null ? null : limit.level();
        Integer level = named == null ? (Integer) Network.LEAVES : topology.level(named);
        String reservation = request.where().reservation();
        int tier = partition == null ? 0 : partition.tier();
        return new Terms(
                reservation == null ? tier : tier + RESERVED_TIER,
                line(name.partition(), reservation),
                sizes(name, request),
                level == null && request.nodes() > 1 ? new BitSet() : only(request),
                limit == null || level == null ? 0 : limit.count(),
                level == null ? Network.LEAVES : level,
                name.preemptor(),
                reservations.hours(reservation, name.endless(), name.magnets()),
                licenses.counts(request),
                name.plans(),
                shares(name, request),
                layout(name, request));
    }

    private List<Size> sizes(Name name, ResourceRequest request) {
        var sizes = new ArrayList<Size>();
        int first = 0;
        for (int end : request.nodesBySize()) {
            var on = new ArrayList<@Nullable Demand>();
            for (NodeKind kind : nodes.kinds()) {
                on.add(demand(kind, name, request, first));
            }
            sizes.add(new Size(end - first, on));
            first = end;
        }
        return sizes;
    }

    private @Nullable Demand demand(NodeKind kind, Name name, ResourceRequest request, int part) {
        Demand demand =
                in(kind, name, request, part) ? kind.demand(request, part, name.partition()) : null;
        return demand == null ? null : sharing(demand, name, request);
    }

    private Demand sharing(Demand demand, Name name, ResourceRequest request) {
        return demand.of(name.tenant()).sharing(tenants.shared(name.partition(), request));
    }

    private boolean in(NodeKind kind, Name name, ResourceRequest request, int part) {
        return kind.partitions().contains(name.partition())
                && (kind.seats() != null || !nodes.boundedBySocket(name.partition()))
                && tenants.allows(name.partition(), kind.cpusOn(request, part));
    }

    private Layout layout(Name name, ResourceRequest request) {
        boolean wider = request.mostNodes() > request.nodes();
        boolean inRow = request.where().sideBySide();
        List<NodeName> among = request.nodesAmong();
        Partition partition = configuration.partitions().get(name.partition());
        boolean leastLoaded =
                partition != null && partition.partitionRules().ofNodes().leastLoaded();
        List<Choice> choices = choices(name, request);
        boolean anyNodes = !wider && !inRow && request.segment() == 0 && among.isEmpty();
        if (anyNodes && !leastLoaded && choices.isEmpty()) {
            return Layout.ANY;
        }
        var indices = new BitSet();
        for (int index : nodes.indices(among)) {
            // One that is not there any more is none that a gang could have.
            indices.set(index < 0 ? nodes.names().size() : index);
        }
        return new Layout(
                inRow,
                request.segment(),
                indices,
                request.mostNodes(),
                wider ? parts -> terms(name, request.onNodes(parts)) : null,
                wider && request.spreads(),
                leastLoaded ? Policies.LEAST_LOADED : null,
                choices);
    }

    /// The nodes that its constraints give it a choice of; of each choice first those that a
    /// reservation draws it to.
    private List<Choice> choices(Name name, ResourceRequest request) {
        List<Choice> choices = nodes.choices(request, reserved(request));
        BitSet drawn = reservations.drawing(name.magnets());
        if (drawn.isEmpty()) {
            return choices;
        }
        var all = new ArrayList<Choice>();
        if (choices.isEmpty()) {
            var any = new BitSet();
            any.set(0, nodes.names().size());
            choices = List.of(new Choice(any, List.of()));
        }
        choices.forEach(it -> all.add(it.among(drawn)));
        all.addAll(choices);
        all.sort(Comparator.comparing(it -> !it.preferred()));
        return all;
    }

    /// By kind, the shared GPUs of which a request for a part of one may take some; empty for
    /// another.
    private List<List<Demand>> shares(Name name, ResourceRequest request) {
        if (request.gpus().share() == null) {
            return List.of();
        }
        return nodes.kinds().stream()
                .map(kind ->
                        in(kind, name, request, 0)
                                ? kind.shares(request, name.partition())
                                : List.<Demand>of())
                .map(ways -> ways.stream().map(it -> sharing(it, name, request)).toList())
                .toList();
    }

    /// Who stands in one line with whom: the jobs of a partition that are in no reservation, or in
    /// the same one.
    private int line(String partition, @Nullable String reservation) {
        return partitions.indexOf(partition)
                + (reservations.number(reservation) + 1) * partitions.size();
    }

    /// The nodes that a request's constraints and its reservation admit; null for all.
    @Nullable BitSet only(ResourceRequest request) {
        return nodes.only(request, reserved(request));
    }

    private @Nullable BitSet reserved(ResourceRequest request) {
        return reservations.only(request.where().reservation());
    }
}
