package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.contracts.Gpu;
import io.berth.contracts.Gres;
import io.berth.contracts.Hardware;
import io.berth.contracts.Inventory;
import io.berth.contracts.Isolation;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.NodeHold;
import io.berth.contracts.NodeName;
import io.berth.contracts.NodeWeight;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.Sharing;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.Division;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.ReservationFlag;
import io.berth.core.request.Reserved;
import io.berth.core.request.Sight;
import io.berth.submit.Job;
import io.berth.submit.Node;
import io.berth.submit.Node.Beat;
import io.berth.submit.NodePlaces;
import io.berth.submit.PartitionNodes;
import io.berth.submit.Picture;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// A node as it is answered.
///
/// @param state in Slurm's words; `MAINTENANCE` or `RESERVED` for an idle node that is reserved now
/// @param reservation the first that is on there now; left out without one
/// @param reasonUser the operator who gave the reason
/// @param mig the GPUs in MIG mode, each with what it is split into; left out if there are none
/// @param outOfService GPUs that no job gets, which are not among the others; left out if there are
///   none
/// @param gres other resources; left out if it has none
/// @param features what `--constraint` may ask of it
/// @param block of the topology, or the NVLink fabric of its GPUs where no blocks are configured;
///   left out if it is in none
/// @param leafSwitch the switch right over it in the topology; left out if none is
/// @param heardAt of the last heartbeat, as `loadPercent` and `memoryUsedMib`; left out before the
///   first
/// @param tmpMib size of its temporary disk; left out of a node that is declared
/// @param weight nodes of a lower one are taken first
/// @param owner the user whose jobs alone may be there now; left out without one
@Schema(name = "Node")
@JsonInclude(JsonInclude.Include.NON_NULL)
record NodeJson(
        String name,
        String state,
        boolean responding,
        @Nullable String reason,
        @Nullable String reasonUser,
        @Nullable Long reasonAt,
        List<String> features,
        int cpus,
        int cpusAllocated,
        long memoryMib,
        long memoryAllocatedMib,
        List<GpuJson> gpus,
        @Nullable List<MigJson> mig,
        @Nullable List<OutOfServiceJson> outOfService,
        int gpusAllocated,
        @Nullable List<GresJson> gres,
        List<String> partitions,
        @Nullable String block,
        @Nullable String leafSwitch,
        @Nullable String reservation,
        List<Isolation> isolation,
        boolean simulated,
        @Nullable String profile,
        int sockets,
        int coresPerSocket,
        int threadsPerCore,
        @Nullable Long tmpMib,
        int weight,
        @Nullable String owner,
        String os,
        String architecture,
        String agentVersion,
        @Nullable Integer loadPercent,
        @Nullable Long memoryUsedMib,
        @Nullable Long heardAt,
        List<Long> jobs) {

    /// A GPU and the job that holds it.
    ///
    /// @param job that holds it; of a shared one, one of them
    /// @param held true where he who asks may not see the job that holds it; else left out
    /// @param shared how it is given out in parts: `mps` or `shard`; left out if it is not
    /// @param parts hundredths or shards that it is given out in; left out if it is not
    /// @param partsHeld how many of them jobs hold
    /// @param health `SUSPECT` for a GPU of which an error was seen that may pass; left out of a
    ///   healthy one
    @Schema(name = "Gpu")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record GpuJson(
            int index,
            String uuid,
            String type,
            String name,
            long memoryMib,
            @Nullable Long job,
            @Nullable Boolean held,
            @Nullable String shared,
            @Nullable Long parts,
            @Nullable Long partsHeld,
            Hardware.@Nullable Health health) {
        static GpuJson of(Gpu gpu, Node node, @Nullable SharedGpus rule, Sight sight) {
            Job holder = node.gpuHolders().get(gpu.uuid());
            boolean hidden = holder != null && !holder.seenBy(sight);
            SharedGpus shared = rule != null && rule.shares(gpu) ? rule : null;
            return new GpuJson(
                    gpu.index(),
                    gpu.uuid(),
                    gpu.type(),
                    gpu.name(),
                    gpu.memoryMib(),
                    (holder == null || hidden) ? null : holder.id().value(),
                    hidden ? true : null,
                    shared == null ? null : shared.sharing().gres(),
                    shared == null ? null : shared.sharing().amount(shared.of()),
                    shared == null ? null : node.partsHeld().getOrDefault(gpu.uuid(), 0L),
                    node.beat() == null ? null : node.beat().unwell().get(gpu.uuid()));
        }
    }

    /// A GPU that no job gets.
    ///
    /// @param index its place among the node's GPUs in PCI order
    /// @param uuid left out of one that does not even tell that
    /// @param health `DRAINED`, `TESTING` or `LOST`
    @Schema(name = "GpuOutOfService")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record OutOfServiceJson(
            int index, @Nullable String uuid, Hardware.Health health, String reason) {

        static @Nullable List<OutOfServiceJson> of(Inventory inventory) {
            Hardware hardware = inventory.hardware();
            return hardware == null || hardware.outOfService().isEmpty()
                    ? null
                    : hardware.outOfService().stream()
                            .map(it ->
                                    new OutOfServiceJson(
                                            it.index(), it.uuid(), it.health(), it.reason()))
                            .toList();
        }
    }

    /// A resource other than GPUs.
    ///
    /// @param type left out of one without
    /// @param held how many jobs hold
    /// @param files the device file of each; left out of what is only counted
    @Schema(name = "Gres")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record GresJson(
            String name,
            @Nullable String type,
            long count,
            long held,
            @Nullable List<String> files) {

        static @Nullable List<GresJson> of(Node node, Picture picture) {
            List<Gres> all = picture.gres(node);
            List<Gres> held = Gres.heldOf(node.gresHeld(), all);
            return all.isEmpty() ? null : all.stream().map(it -> of(it, held)).toList();
        }

        private static GresJson of(Gres it, List<Gres> held) {
            return new GresJson(
                    it.name(),
                    it.type(),
                    it.count(),
                    held.stream().filter(is -> is.compareTo(it) == 0).mapToLong(Gres::count).sum(),
                    it.files().isEmpty() ? null : it.files());
        }
    }

    /// A GPU in MIG mode.
    ///
    /// @param gpu its place among the node's GPUs in PCI order
    /// @param geometry what it is split into: `1x3g.40gb+4x1g.10gb`
    /// @param dividing what it is being divided into; left out if it is not
    /// @param failure why it could not be divided when that was last ordered; left out if it could
    @Schema(name = "Mig")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record MigJson(
            int gpu,
            String uuid,
            String type,
            String geometry,
            @Nullable String dividing,
            @Nullable String failure) {

        static @Nullable List<MigJson> of(NodeStatus node) {
            List<MigGpu> gpus = node.seen().inventory().migGpus();
            return gpus.isEmpty() ? null : gpus.stream().map(gpu -> of(gpu, node)).toList();
        }

        private static MigJson of(MigGpu gpu, NodeStatus node) {
            Division division = node.division(gpu.uuid());
            List<MigPlacement> wanted = division == null ? null : division.wanted();
            return new MigJson(
                    gpu.index(),
                    gpu.uuid(),
                    gpu.type(),
                    MigPlacement.words(gpu.instances()),
                    wanted == null ? null : MigPlacement.words(wanted),
                    gpu.failure());
        }
    }

    /// A node as he who asks may see it.
    static NodeJson of(Node node, NodePlaces places, Picture picture, Sight sight, long now) {
        Reservation reservation = reservation(node.name(), picture, now);
        Reservation told =
                reservation != null && sight.reservation(reservation) ? reservation : null;
        Inventory inventory = node.inventory();
        Beat beat = node.beat();
        NodeHold hold = node.status().hold();
        SharedGpus shared =
                picture.configuration().map(it -> it.cluster().sharedOn(node.name())).orElse(null);
        return new NodeJson(
                node.name().value(),
                state(node, reservation),
                node.up(),
                hold == null ? node.up() ? null : "Not responding" : hold.reason(),
                hold == null ? null : hold.user(),
                hold == null ? null : hold.since(),
                List.copyOf(node.status().allFeatures()),
                inventory.cpus(),
                node.cpusHeld(),
                inventory.memoryMib(),
                node.memoryMibHeld(),
                inventory.gpus().stream().map(gpu -> GpuJson.of(gpu, node, shared, sight)).toList(),
                MigJson.of(node.status()),
                OutOfServiceJson.of(inventory),
                node.gpuHolders().size(),
                GresJson.of(node, picture),
                partitions(node.name(), picture),
                places.block(node.name(), inventory),
                places.leafSwitch(node.name()),
                told == null ? null : told.name(),
                inventory.isolation(),
                inventory.simulated(),
                inventory.profile(),
                inventory.sockets(),
                inventory.coresPerSocket(),
                inventory.threadsPerCore(),
                inventory.hardware() == null ? null : inventory.hardware().tmpMib(),
                weight(node.status(), picture),
                owner(node, picture, sight),
                inventory.os(),
                inventory.architecture(),
                node.status().seen().agentVersion(),
                beat == null ? null : beat.loadPercent(),
                beat == null ? null : beat.memoryUsedMib(),
                beat == null ? null : beat.heardAt(),
                node.jobs().stream()
                        .filter(job -> job.seenBy(sight))
                        .map(job -> job.id().value())
                        .toList());
    }

    private static int weight(NodeStatus node, Picture picture) {
        Integer given = node.weight();
        return given == null
                ? picture.configuration()
                        .map(it -> it.cluster().weightOf(node.node()))
                        .orElse(NodeWeight.DEFAULT)
                : given;
    }

    /// Whose nodes they are for which a job there asked, or its partition.
    private static @Nullable String owner(Node node, Picture picture, Sight sight) {
        return node.jobs().stream()
                .filter(job -> ofOneUser(job, picture) && job.seenBy(sight))
                .map(Job::user)
                .findFirst()
                .orElse(null);
    }

    private static boolean ofOneUser(Job job, Picture picture) {
        return job.description().request().where().sharing() == Sharing.USER
                || picture.configuration()
                        .map(it -> it.partitions().get(job.partition()))
                        .map(it -> it.partitionRules().ofNodes().ofOneUser())
                        .orElse(false);
    }

    private static String state(Node node, @Nullable Reservation reservation) {
        String state = node.state();
        return reservation == null || !state.equals("IDLE")
                ? state
                : reservation.has(ReservationFlag.MAINT) ? "MAINTENANCE" : "RESERVED";
    }

    private static @Nullable Reservation reservation(NodeName node, Picture picture, long now) {
        Configuration configuration = picture.configuration().orElse(null);
        return configuration == null
                ? null
                : configuration.reservations().values().stream()
                        .filter(it -> it.on(now))
                        .filter(it -> {
                            Partition its = configuration.partitions().get(it.partition());
                            return Reserved.has(it, its, node);
                        })
                        .findFirst()
                        .orElse(null);
    }

    private static List<String> partitions(NodeName node, Picture picture) {
        return picture.configuration().map(Configuration::partitions).stream()
                .flatMap(it -> it.values().stream())
                .filter(partition -> PartitionNodes.has(partition, node))
                .map(Partition::name)
                .toList();
    }
}
