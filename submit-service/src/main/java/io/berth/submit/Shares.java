package io.berth.submit;

import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.FairShares.Factor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The fair-share factors of the last calculation, by association.
public final class Shares {
    /// Before the first calculation every factor is 0.
    public static final Shares NONE = new Shares(new FairShares(0, 0, 0, List.of()));

    private static final long MILLION = 1_000_000;

    private record Member(String account, String user) {}

    private final FairShares calculation;
    private final Map<Member, Factor> factors = new HashMap<>();

    Shares(FairShares calculation) {
        this.calculation = calculation;
        for (Factor factor : calculation.factors()) {
            factors.put(new Member(factor.account(), factor.user()), factor);
        }
    }

    public FairShares calculation() {
        return calculation;
    }

    /// What fair share adds to the priority of this user's jobs in this account, in millionths of a
    /// point.
    public long micros(String account, String user) {
        Factor factor = factors.get(new Member(account, user));
        return factor == null
                ? 0
                : Math.multiplyExact(calculation.weight(), factor.factor()) / MILLION;
    }
}
