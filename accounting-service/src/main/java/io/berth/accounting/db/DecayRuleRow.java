package io.berth.accounting.db;

import io.berth.contracts.event.PriorityRules.UsageReset;
import io.berth.core.fairshare.Decay;
import io.berth.core.fairshare.HalfLife;
import io.quarkus.hibernate.reactive.panache.Panache;
import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;
import io.quarkus.panache.common.Sort;
import io.smallrye.mutiny.Uni;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.List;

/// How usage was forgotten from some time on. There are none before the configuration changes it
/// for the first time.
@Entity
@Table(name = "decay_rule")
public class DecayRuleRow extends PanacheEntityBase {

    /// Epoch milliseconds.
    @Id public long since;

    @Column(name = "half_life_seconds")
    public long halfLifeSeconds;

    @Enumerated(EnumType.STRING)
    @Column(name = "usage_reset")
    public UsageReset usageReset = UsageReset.NONE;

    static DecayRuleRow of(long since, Decay.Rule rule) {
        var row = new DecayRuleRow();
        row.since = since;
        row.halfLifeSeconds = rule.halfLife().millis() / 1000;
        row.usageReset = rule.reset();
        return row;
    }

    private Decay.Rule rule() {
        return new Decay.Rule(since, HalfLife.ofSeconds(halfLifeSeconds), usageReset);
    }

    private static Uni<List<DecayRuleRow>> all() {
        return listAll(Sort.by("since"));
    }

    /// How usage is forgotten at each time; as it is in force if that never changed. In the current
    /// session.
    static Uni<Decay> query(Decay inForce) {
        return all().map(rows ->
                rows.isEmpty()
                        ? inForce
                        : Decay.of(rows.stream().map(DecayRuleRow::rule).toList()));
    }

    /// Notes that from `at` on usage is forgotten by another rule than before. In the current
    /// session.
    static Uni<Void> change(Decay.Rule before, Decay.Rule next, long at) {
        return all().chain(rows -> {
            long from = rows.isEmpty() ? at : Math.max(at, rows.getLast().since + 1);
            return Panache.getSession()
                    .chain(session ->
                            rows.isEmpty()
                                    ? session.persistAll(of(0, before), of(from, next))
                                    : session.persist(of(from, next)));
        });
    }
}
