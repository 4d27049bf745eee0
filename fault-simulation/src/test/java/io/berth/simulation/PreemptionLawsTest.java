package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Cells in which somebody always has a right to the place of others, in trouble: see
/// [PreemptionLaws]. A failure names its seed; `-Dberth.preemption.seed=N` runs that one alone,
/// `-Dberth.preemption.rounds=N` as many cells as make so many rounds.
final class PreemptionLawsTest {

    private static final int ROUNDS = Integer.getInteger("berth.preemption.rounds", 3_000);

    @Test
    void the_laws_of_preemption_hold_in_every_round_of_every_troubled_cell() {
        Long only = Long.getLong("berth.preemption.seed");
        long seed = only == null ? 0 : only;
        int rounds = 0;
        int preemptions = 0;
        int reclaims = 0;
        do {
            var cell = new SimulatedCell(seed, true);
            try {
                cell.run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
            rounds += cell.rounds();
            preemptions += cell.preemptions();
            reclaims += cell.reclaims();
            seed++;
        } while (only == null && rounds < ROUNDS);
        System.out.printf(
                "%d rounds of %d cells, in which a job gave way %d times, and gave back %d times%n",
                rounds, only == null ? seed : 1, preemptions, reclaims);
        assertThat(only == null ? preemptions : 1).isPositive();
        assertThat(only == null ? reclaims : 1).isPositive();
    }
}
