package io.berth.submit.session;

import io.berth.submit.TooBusy;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/// So many seats, and who has how many of them.
final class Seats {
    private final Map<String, Integer> taken = new HashMap<>();
    private final int most;
    private final String what;

    /// @param what those who sit do, as who finds no seat is told it: `256` and this
    Seats(int most, String what) {
        this.most = most;
        this.what = what;
    }

    /// Takes a seat.
    ///
    /// @param whose as he who finds none is told it: `alice's`
    /// @param mostOfHis how many of the seats are his at most; one at least is
    /// @return frees it; more than once is as good as once
    /// @throws TooBusy if all are taken, or as many of his as may be
    synchronized Runnable take(String whose, int mostOfHis) {
        int his = taken.getOrDefault(whose, 0);
        if (his >= Math.max(1, mostOfHis)) {
            throw new TooBusy("%d of %s %s".formatted(his, whose, what));
        }
        if (count() >= most) {
            throw new TooBusy(most + " " + what);
        }
        taken.merge(whose, 1, Integer::sum);
        var sits = new AtomicBoolean(true);
        return () -> {
            if (sits.getAndSet(false)) {
                free(whose);
            }
        };
    }

    private synchronized void free(String whose) {
        taken.computeIfPresent(whose, (_, his) -> his == 1 ? null : his - 1);
    }

    synchronized int count() {
        return taken.values().stream().mapToInt(Integer::intValue).sum();
    }
}
