package io.berth.accounting.db;

import io.berth.contracts.Allocation;
import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.JobState;
import io.berth.slurm.HostList;
import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;
import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A run in the books: what it holds, or, once it is over, what it is charged.
@Entity
@Table(name = "run")
@IdClass(RunKey.class)
public class RunRow extends PanacheEntityBase {

    @Id public long job;
    @Id public int lease;

    @Column(name = "node_list")
    public String nodeList = "";

    /// UUIDs of the GPUs that it holds or held, with commas between them.
    @Column(name = "gpu_uuids")
    public String gpuUuids = "";

    /// Billing units per second, in thousandths; 0 if the run was never seen alive.
    @Column(name = "billing_rate")
    public long billingRate;

    @Column(name = "placed_at")
    public long placedAt;

    @Column(name = "started_at")
    public long startedAt;

    /// 0 while the run holds its resources.
    @Column(name = "freed_at")
    public long freedAt;

    @Enumerated(EnumType.STRING)
    public @Nullable JobState outcome;

    @Column(name = "exit_code")
    public int exitCode;

    @Column(name = "exit_signal")
    public int exitSignal;

    @Embedded public ChargeColumns charge = new ChargeColumns();

    static RunRow of(RunKey key, List<Allocation> allocations, long placedAt) {
        var row = new RunRow();
        row.job = key.job();
        row.lease = key.lease();
        row.placedAt = placedAt;
        row.nodeList =
                HostList.compress(allocations.stream().map(it -> it.node().value()).toList());
        row.gpuUuids =
                Texts.storable(
                        String.join(
                                ",",
                                allocations.stream().flatMap(it -> it.gpus().stream()).toList()));
        return row;
    }

    boolean over() {
        return freedAt != 0;
    }

    void end(EndedRun run) {
        placedAt = run.placedAt();
        startedAt = run.startedAt();
        freedAt = run.freedAt();
        outcome = run.outcome();
        exitCode = run.exit().code();
        exitSignal = run.exit().signal();
        charge = ChargeColumns.of(run.charge());
    }

    public Charge charge() {
        return charge.charge();
    }
}
