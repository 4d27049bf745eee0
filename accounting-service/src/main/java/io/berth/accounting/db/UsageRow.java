package io.berth.accounting.db;

import io.berth.contracts.Charge;
import io.berth.core.fairshare.Decay;
import io.berth.core.fairshare.Member;
import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;
import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;

/// What the ended runs of one member have used: the whole, and what of it still counts.
@Entity
@Table(name = "usage")
@IdClass(UsageRow.Key.class)
public class UsageRow extends PanacheEntityBase {

    /// The name of the row.
    public record Key(String account, String username) {}

    @Id public String account = "";
    @Id public String username = "";

    @Embedded public ChargeColumns charge = new ChargeColumns();

    @Column(name = "decayed_micros")
    public long decayedMicros;

    /// The time up to which it is decayed: the latest end of a run.
    @Column(name = "decayed_at")
    public long decayedAt;

    static UsageRow of(Member member) {
        var row = new UsageRow();
        row.account = member.account();
        row.username = member.user();
        return row;
    }

    public Member member() {
        return new Member(account, username);
    }

    public Charge charge() {
        return charge.charge();
    }

    /// Adds a run that ended at that time.
    void add(Charge run, long placedAt, long freedAt, Decay decay) {
        charge = ChargeColumns.of(charge().plus(run));
        long counts = decay.accrued(run.billingMicros(), placedAt, freedAt);
        if (freedAt >= decayedAt) {
            decayedMicros = Math.addExact(decayedAt(freedAt, decay), counts);
            decayedAt = freedAt;
        } else {
            decayedMicros = Math.addExact(decayedMicros, decay.left(counts, freedAt, decayedAt));
        }
    }

    /// What of the usage still counts at that time.
    public long decayedAt(long now, Decay decay) {
        return decay.left(decayedMicros, decayedAt, now);
    }
}
