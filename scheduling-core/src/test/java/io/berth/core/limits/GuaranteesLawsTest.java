package io.berth.core.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.contracts.Limits;
import io.berth.contracts.Tres;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.Terms;
import io.berth.core.limits.Guarantees.Right;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// Random trees of accounts, in which jobs take and leave places.
final class GuaranteesLawsTest {

    private static final int CASES = 300;
    private static final int STEPS = 60;

    private record Held(String account, long since, long until, Map<String, Long> tres) {}

    /// A tree, and the jobs that have places.
    private static final class Case {
        final Random random;
        final List<String> accounts = new ArrayList<>();
        final Map<String, Long> left = new TreeMap<>();
        final boolean flat;
        final Configuration configuration;
        final Guarantees kept;
        final TreeMap<JobId, Held> held = new TreeMap<>();
        long jobs;

        Case(long seed) {
            random = new Random(seed);
            flat = seed % 3 == 0;
            var records = new ArrayList<Function<Part, ConfigEntry>>();
            for (int i = 0; i < 2 + random.nextInt(6); i++) {
                records.add(account("a" + i));
            }
            configuration = TestCell.configuration(Limits.NONE, PreemptRules.NONE, records);
            kept = new Guarantees(configuration);
        }

        /// Guaranteed is what the next one above with a guarantee has left to give.
        private Function<Part, ConfigEntry> account(String name) {
            boolean below = !flat && !accounts.isEmpty() && random.nextInt(3) > 0;
            String parent = below ? accounts.get(random.nextInt(accounts.size())) : null;
            accounts.add(name);
            String above = parent == null ? "" : giver(parent);
            long most = above.isEmpty() ? 12 : left.getOrDefault(above, 0L);
            long gpus = random.nextInt(3) == 0 ? 0 : random.nextLong(most + 1);
            givers.put(name, gpus > 0 ? name : above);
            if (gpus > 0) {
                left.put(name, gpus);
                left.computeIfPresent(above, (_, had) -> had - gpus);
            }
            Map<String, Long> guarantee =
                    gpus == 0
                            ? Map.of()
                            : flat && random.nextInt(2) == 0
                                    ? Map.of(Tres.GPU, gpus, Tres.CPU, 4 * gpus)
                                    : Map.of(Tres.GPU, gpus);
            var terms = new Terms(null, List.of(), 0, Limits.NONE, Map.of(), guarantee);
            return part -> new Account(part, name, parent, 1, terms, null);
        }

        private final Map<String, String> givers = new TreeMap<>();

        private String giver(String account) {
            return givers.getOrDefault(account, "");
        }

        String anAccount() {
            return accounts.get(random.nextInt(accounts.size()));
        }

        Map<String, Long> some() {
            long gpus = random.nextInt(5);
            return Map.of(Tres.GPU, gpus, Tres.CPU, 1 + gpus * random.nextInt(6));
        }

        void step(long now) {
            if (random.nextInt(3) > 0 || held.isEmpty()) {
                take(new JobId(++jobs), new Held(anAccount(), now, Long.MAX_VALUE, some()));
            } else {
                leave(any());
            }
        }

        JobId any() {
            return List.copyOf(held.keySet()).get(random.nextInt(held.size()));
        }

        void take(JobId job, Held place) {
            held.put(job, place);
            kept.holds(job, place.account(), place.since(), place.until(), place.tres());
        }

        void leave(JobId job) {
            held.remove(job);
            kept.leaves(job);
        }

        Guarantees anew() {
            var anew = new Guarantees(configuration);
            held.descendingMap()
                    .forEach((job, it) ->
                            anew.holds(job, it.account(), it.since(), it.until(), it.tres()));
            anew.settle();
            return anew;
        }

        Set<JobId> standing() {
            var standing = new HashSet<JobId>();
            held.keySet().stream().filter(kept::stands).forEach(standing::add);
            return standing;
        }

        int ground(JobId job) {
            Held it = held.get(job);
            return it == null ? -1 : kept.ground(job, it.account());
        }
    }

    @Test
    void what_is_kept_is_what_is_found_anew_and_every_change_is_told() {
        for (long seed = 0; seed < CASES; seed++) {
            var it = new Case(seed);
            var grounds = new TreeMap<JobId, Integer>();
            for (int step = 0; step < STEPS; step++) {
                it.step(step);
                it.held.keySet().forEach(job -> grounds.putIfAbsent(job, it.ground(job)));
                for (JobId job : it.kept.settle()) {
                    grounds.put(job, it.ground(job));
                }
                grounds.keySet().retainAll(it.held.keySet());
                Guarantees anew = it.anew();
                it.held.forEach((job, place) ->
                        assertThat(grounds)
                                .as("%s among %s", job, it.held)
                                .containsEntry(job, anew.ground(job, place.account())));
            }
        }
    }

    @Test
    void who_stands_is_no_more_than_what_is_guaranteed() {
        for (long seed = 0; seed < CASES; seed++) {
            var it = new Case(seed);
            for (int step = 0; step < STEPS; step++) {
                it.step(step);
                it.kept.settle();
                for (String account : it.accounts) {
                    Map<String, Long> standing = it.kept.standing(account);
                    it.kept
                            .guarantee(account)
                            .forEach((name, most) ->
                                    assertThat(standing.getOrDefault(name, 0L))
                                            .as("%s of %s, case %s", name, account, it.held)
                                            .isLessThanOrEqualTo(most));
                }
            }
        }
    }

    @Test
    void without_accounts_below_nobody_who_stands_is_moved_by_those_who_come() {
        for (long seed = 0; seed < CASES; seed += 3) {
            var it = new Case(seed);
            for (int step = 0; step < STEPS; step++) {
                it.kept.settle();
                Set<JobId> before = it.standing();
                it.step(step);
                it.kept.settle();
                before.retainAll(it.held.keySet());
                assertThat(it.standing()).as("seed %d, step %d", seed, step).containsAll(before);
            }
        }
    }

    @Test
    void who_has_a_place_back_stands_and_the_other_has_no_right_to_it() {
        int taken = 0;
        for (long seed = 0; seed < CASES; seed++) {
            var it = new Case(seed);
            for (int step = 0; step < STEPS; step++) {
                it.step(step);
                it.kept.settle();
                String account = it.anAccount();
                Map<String, Long> wanted = it.some();
                JobId victim = it.held.isEmpty() ? new JobId(1) : it.any();
                Held had = it.held.get(victim);
                if (had == null || !mayHave(it.kept, account, wanted, it.ground(victim))) {
                    continue;
                }
                taken++;
                it.leave(victim);
                var by = new JobId(++it.jobs);
                it.take(by, new Held(account, step, step + 90, wanted));
                it.kept.settle();
                assertThat(it.kept.stands(by)).as("seed %d, step %d", seed, step).isTrue();
                assertThat(mayHave(it.kept, had.account(), had.tres(), it.ground(by)))
                        .as("%s has his place back at once, seed %d", had, seed)
                        .isFalse();
            }
        }
        assertThat(taken).isGreaterThan(CASES);
    }

    private static boolean mayHave(
            Guarantees guarantees, String account, Map<String, Long> wanted, int ground) {
        for (Right right : guarantees.rights(account)) {
            if (right.grounds().get(ground) && guarantees.covers(right.queue(), wanted)) {
                return true;
            }
        }
        return false;
    }
}
