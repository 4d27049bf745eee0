package io.berth.accounting.db;

import io.berth.core.fairshare.Decay;
import io.smallrye.mutiny.Uni;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// How usage is forgotten: everybody's as the cluster had it at each time, and at once where an
/// operator has reset it.
///
/// @param resets when, in epoch milliseconds
record Forgetting(Decay everybodys, Map<ResetRow.Key, Long> resets) {

    /// In the current session.
    static Uni<Forgetting> query(Decay inForce) {
        return DecayRuleRow.query(inForce)
                .chain(everybodys ->
                        ResetRow.<ResetRow>listAll().map(rows -> of(everybodys, rows)));
    }

    private static Forgetting of(Decay everybodys, List<ResetRow> rows) {
        Map<ResetRow.Key, Long> resets = new HashMap<>();
        rows.forEach(it -> resets.put(new ResetRow.Key(it.account, it.username), it.at));
        return new Forgetting(everybodys, resets);
    }

    /// That of a user's usage in an account.
    Decay of(String account, String user) {
        long ofAccount = at(new ResetRow.Key(account, ResetRow.ALL_USERS));
        long at = Math.max(ofAccount, at(new ResetRow.Key(account, user)));
        return at == Long.MIN_VALUE ? everybodys : everybodys.since(at);
    }

    private long at(ResetRow.Key key) {
        return resets.getOrDefault(key, Long.MIN_VALUE);
    }
}
