package io.berth.accounting.db;

import io.berth.contracts.Allocation;
import io.berth.contracts.ArrayTask;
import io.berth.contracts.GpuShare;
import io.berth.contracts.Gres;
import io.berth.contracts.HetComponent;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.Reason;
import io.berth.contracts.ShareRequest;
import io.berth.contracts.Tres;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.core.fairshare.Member;
import io.berth.core.limits.JobUse;
import io.quarkus.hibernate.reactive.panache.Panache;
import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;
import io.smallrye.mutiny.Uni;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A job in the books.
@Entity
@Table(name = "job")
public class JobRow extends PanacheEntityBase {

    private static final Prices UNPRICED = new Prices(0, 0, 0, Map.of());

    @Id public long id;
    public String name = "";

    /// The first component of the heterogeneous job that it is one of; null for a job alone.
    @Column(name = "het_job")
    public @Nullable Long hetJob;

    public String username = "";
    public String account = "";
    public String partition = "";

    /// All in which it may start, each between commas, such as `,batch,cpu,`; null is its partition
    /// alone.
    public @Nullable String partitions;

    public String qos = "";

    @Enumerated(EnumType.STRING)
    public JobState state = JobState.PENDING;

    @Enumerated(EnumType.STRING)
    public Reason reason = Reason.NONE;

    @Column(name = "exit_code")
    public int exitCode;

    @Column(name = "exit_signal")
    public int exitSignal;

    @Column(name = "submitted_at")
    public long submittedAt;

    /// When its last run was placed.
    @Column(name = "started_at")
    public long startedAt;

    @Column(name = "ended_at")
    public long endedAt;

    @Column(name = "time_limit_seconds")
    public long timeLimitSeconds;

    public int nodes;
    public int tasks;
    public int cpus;

    @Column(name = "memory_mib")
    public long memoryMib;

    public int gpus;

    @Column(name = "gpu_type")
    public @Nullable String gpuType;

    /// What it wants, or had, of a shared GPU, such as `gres/mps=50`; null is none.
    @Column(name = "gpu_part")
    public @Nullable String gpuPart;

    /// What it wants, or had, of other resources, such as `gres/nic=4`; null is none.
    public @Nullable String gres;

    /// What it asked for, named as [Tres] names it, memory in MiB; empty of jobs of which that was
    /// not kept.
    @Convert(converter = AmountsColumn.class)
    public Map<String, Long> requested = Map.of();

    /// Of its last run; 0 before the first.
    public int lease;

    public int restarts;

    /// Null for a job that uses none.
    public @Nullable String reservation;

    @Column(name = "cancelled_by")
    public @Nullable String cancelledBy;

    public @Nullable String message;

    /// What its owner says of it; null is nothing.
    public @Nullable String comment;

    /// The array that it is a task of, null for a job of none.
    @Column(name = "array_job")
    public @Nullable Long arrayJob;

    @Column(name = "array_task")
    public @Nullable Integer arrayTask;

    /// The most tasks of its array that run at once; 0 is any number.
    @Column(name = "array_throttle")
    public @Nullable Integer arrayThrottle;

    static JobRow of(JobId id, JobDescription description, long submittedAt) {
        var row = new JobRow();
        row.id = id.value();
        row.submittedAt = submittedAt;
        HetComponent het = description.het();
        row.hetJob = het == null ? null : het.first().value();
        row.describe(description);
        return row;
    }

    /// Takes what was asked for; a job that has run keeps the nodes, the CPUs, the memory and the
    /// GPUs that it was given.
    void describe(JobDescription description) {
        name = Texts.storable(description.name());
        username = Texts.storable(description.user());
        account = Texts.storable(description.account());
        partition = Texts.storable(description.partition());
        List<String> several = description.partitions();
        partitions =
                several.size() < 2 ? null : Texts.storable("," + String.join(",", several) + ",");
        qos = Texts.storable(description.qos());
        timeLimitSeconds = description.timeLimitSeconds();
        var request = description.request();
        tasks = request.tasks();
        requested = new TreeMap<>(JobUse.asked(description, UNPRICED).tres());
        requested.remove(Tres.BILLING);
        if (lease == 0) {
            nodes = request.nodes();
            cpus = request.totalCpus();
            memoryMib = requested.getOrDefault(Tres.MEMORY, 0L);
            ShareRequest part = request.gpus().share();
            gpuPart = part == null ? null : part.sharing().tres() + "=" + part.amount();
            gres = gres(Collections.nCopies(request.nodes(), request.gres()));
            gpus = request.totalGpus();
        }
        String reserved = request.where().reservation();
        reservation = reserved == null ? null : Texts.storable(reserved);
        String type = request.gpus().type();
        gpuType = type == null ? null : Texts.storable(type);
        String said = description.conditions().comment();
        comment = said == null ? null : Texts.storable(said);
        ArrayTask place = description.array();
        if (place != null) {
            arrayJob = place.array().value();
            arrayTask = place.task();
            arrayThrottle = place.throttle();
        }
    }

    /// @param ofNodes of each node
    private static @Nullable String gres(List<List<Gres>> ofNodes) {
        var amounts = new TreeMap<String, Long>();
        ofNodes.forEach(node ->
                node.forEach(it -> amounts.merge(Tres.gres(it.kind()), it.count(), Long::sum)));
        return amounts.isEmpty()
                ? null
                : amounts.entrySet().stream()
                        .map(it -> it.getKey() + "=" + it.getValue())
                        .collect(Collectors.joining(","));
    }

    /// The users of jobs that have not ended, with their accounts. In the current session.
    public static Uni<List<Member>> members() {
        return Panache.getSession()
                .chain(session ->
                        session.createSelectionQuery(
                                        "select distinct new io.berth.core.fairshare.Member(account, username)"
                                                + " from JobRow where endedAt = 0",
                                        Member.class)
                                .getResultList());
    }

    /// Takes what a run was given of nodes, CPUs, memory, GPUs, a shared GPU, and other resources.
    void give(List<Allocation> allocations) {
        nodes = allocations.size();
        cpus = allocations.stream().mapToInt(it -> it.cpus().size()).sum();
        memoryMib = allocations.stream().mapToLong(Allocation::memoryMib).sum();
        gres = gres(allocations.stream().map(Allocation::gres).toList());
        gpus =
                allocations.stream()
                        .filter(it -> it.share() == null)
                        .mapToInt(it -> it.gpus().size())
                        .sum();
        for (Allocation allocation : allocations) {
            GpuShare part = allocation.share();
            gpuPart = part == null ? gpuPart : part.sharing().tres() + "=" + part.amount();
        }
    }

    boolean over() {
        return endedAt != 0;
    }
}
