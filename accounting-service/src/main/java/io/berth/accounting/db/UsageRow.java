package io.berth.accounting.db;

import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.Spending;
import io.berth.core.fairshare.Decay;
import io.berth.core.fairshare.Member;
import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;
import jakarta.persistence.AttributeOverride;
import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;

/// What the ended runs of one member in one partition and QOS have used: the whole, what of it
/// still counts, and what was used since an operator reset it last.
@Entity
@Table(name = "usage")
@IdClass(UsageRow.Key.class)
public class UsageRow extends PanacheEntityBase {

    /// The name of the row.
    public record Key(String account, String username, String partition, String qos) {}

    @Id public String account = "";
    @Id public String username = "";
    @Id public String partition = "";
    @Id public String qos = "";

    @Embedded public ChargeColumns charge = new ChargeColumns();

    @Column(name = "wall_millis")
    public long wallMillis;

    @Embedded
    @AttributeOverride(name = "cpuMillis", column = @Column(name = "decayed_cpu_millis"))
    @AttributeOverride(
            name = "memoryMibMillis",
            column = @Column(name = "decayed_memory_mib_millis"))
    @AttributeOverride(name = "gpuMillis", column = @Column(name = "decayed_gpu_millis"))
    @AttributeOverride(name = "nodeMillis", column = @Column(name = "decayed_node_millis"))
    @AttributeOverride(name = "billingMicros", column = @Column(name = "decayed_billing_micros"))
    @AttributeOverride(name = "gpuTypeMillis", column = @Column(name = "decayed_gpu_type_millis"))
    public ChargeColumns decayed = new ChargeColumns();

    @Column(name = "decayed_wall_millis")
    public long decayedWallMillis;

    @Embedded
    @AttributeOverride(name = "cpuMillis", column = @Column(name = "since_reset_cpu_millis"))
    @AttributeOverride(
            name = "memoryMibMillis",
            column = @Column(name = "since_reset_memory_mib_millis"))
    @AttributeOverride(name = "gpuMillis", column = @Column(name = "since_reset_gpu_millis"))
    @AttributeOverride(name = "nodeMillis", column = @Column(name = "since_reset_node_millis"))
    @AttributeOverride(
            name = "billingMicros",
            column = @Column(name = "since_reset_billing_micros"))
    @AttributeOverride(
            name = "gpuTypeMillis",
            column = @Column(name = "since_reset_gpu_type_millis"))
    public ChargeColumns sinceReset = new ChargeColumns();

    @Column(name = "since_reset_wall_millis")
    public long sinceResetWallMillis;

    /// The time up to which it is decayed, or reset: the latest end of a run.
    @Column(name = "decayed_at")
    public long decayedAt;

    static UsageRow of(Key key) {
        var row = new UsageRow();
        row.account = key.account();
        row.username = key.username();
        row.partition = key.partition();
        row.qos = key.qos();
        return row;
    }

    Key key() {
        return new Key(account, username, partition, qos);
    }

    public Member member() {
        return new Member(account, username);
    }

    public Charge charge() {
        return charge.charge();
    }

    /// Adds a run.
    void add(EndedRun run, Decay decay) {
        Spending spent = Spending.of(run);
        charge = ChargeColumns.of(charge().plus(spent.charge()));
        wallMillis = Math.addExact(wallMillis, spent.wallMillis());
        long at = Math.max(decayedAt, run.freedAt());
        Spending counts = decayedAt(at, decay).plus(left(run, spent, at, decay));
        decayed = ChargeColumns.of(counts.charge());
        decayedWallMillis = counts.wallMillis();
        Spending since = sinceReset(at, decay).plus(left(run, spent, at, resets(decay)));
        sinceReset = ChargeColumns.of(since.charge());
        sinceResetWallMillis = since.wallMillis();
        decayedAt = at;
    }

    /// What a run spent and what is left of it then.
    private static Spending left(EndedRun run, Spending spent, long at, Decay decay) {
        return decay.left(decay.accrued(spent, run.placedAt(), run.freedAt()), run.freedAt(), at);
    }

    /// What of the usage still counts at that time.
    public Spending decayedAt(long now, Decay decay) {
        return decay.left(new Spending(decayed.charge(), decayedWallMillis), decayedAt, now);
    }

    /// What was used since an operator reset it last, up to that time.
    Spending sinceReset(long now, Decay decay) {
        return resets(decay)
                .left(new Spending(sinceReset.charge(), sinceResetWallMillis), decayedAt, now);
    }

    private static Decay resets(Decay decay) {
        return Decay.NONE.since(decay.since());
    }
}
