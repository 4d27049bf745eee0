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

/// What the ended runs of one member in one partition and QOS have used: the whole, and what of it
/// still counts.
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

    /// The time up to which it is decayed: the latest end of a run.
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

    Spending whole() {
        return new Spending(charge(), wallMillis);
    }

    /// Adds a run.
    void add(EndedRun run, Decay decay) {
        Spending spent = Spending.of(run);
        charge = ChargeColumns.of(charge().plus(spent.charge()));
        wallMillis = Math.addExact(wallMillis, spent.wallMillis());
        Spending counts = decay.accrued(spent, run.placedAt(), run.freedAt());
        if (run.freedAt() >= decayedAt) {
            counts(decayedAt(run.freedAt(), decay).plus(counts));
            decayedAt = run.freedAt();
        } else {
            counts(counts().plus(decay.left(counts, run.freedAt(), decayedAt)));
        }
    }

    private Spending counts() {
        return new Spending(decayed.charge(), decayedWallMillis);
    }

    private void counts(Spending spending) {
        decayed = ChargeColumns.of(spending.charge());
        decayedWallMillis = spending.wallMillis();
    }

    /// What of the usage still counts at that time.
    public Spending decayedAt(long now, Decay decay) {
        return decay.left(counts(), decayedAt, now);
    }
}
