package io.berth.core.limits;

import static io.berth.core.testing.TestCluster.PART;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Charge;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.Spending;
import io.berth.contracts.Tres;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.FairShares.Budget;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.QosRules;
import io.berth.contracts.event.QosRules.Flag;
import io.berth.contracts.event.Terms;
import io.berth.contracts.event.Usage;
import io.berth.contracts.event.Usage.Spent;
import io.berth.core.testing.TestCluster;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Usage counts half after a day. Account `lab` has `team`, in which alice and bob are; partition
/// `fast` has the QOS `fast`.
class BudgetsTest {

    private static final long DAY = 86_400_000;
    private static final Limits LIMITED =
            new Limits(Map.of(), Map.of(Limit.GRP_TRES_MINS, Map.of(Tres.GPU, 600L)));

    private static final List<Usage> USAGES =
            List.of(
                    usage("team", "alice", spent("batch", "normal", 80, 100)),
                    usage(
                            "team",
                            "bob",
                            spent("batch", "normal", 8, 10),
                            spent("fast", "keep", 4, 6)),
                    usage("other", "alice", spent("batch", "keep", 1, 2)));

    private static Usage usage(String account, String user, Spent... spent) {
        return new Usage(account, user, DAY, 0, DAY, List.of(spent));
    }

    private static Spent spent(String partition, String qos, long counts, long whole) {
        return new Spent(partition, qos, gpuMillis(counts), gpuMillis(whole));
    }

    private static Spending gpuMillis(long amount) {
        return new Spending(new Charge(0, 0, amount, 0, 0, Map.of("a100", amount)), 10 * amount);
    }

    @Test
    void each_has_what_was_spent_in_it_and_below_it() {
        List<Budget> budgets = new Budgets(configuration(LIMITED)).spent(USAGES, DAY);

        assertThat(budgets)
                .containsExactlyInAnyOrder(
                        new Budget("qos/normal", gpuMillis(88)),
                        new Budget("qos/keep", gpuMillis(8)),
                        new Budget("qos/fast", gpuMillis(4)),
                        new Budget("account/lab", gpuMillis(92)),
                        new Budget("account/team", gpuMillis(92)),
                        new Budget("user/team/alice", gpuMillis(80)));
    }

    @Test
    void spending_decays_but_not_that_of_a_qos_without_decay() {
        List<Budget> budgets = new Budgets(configuration(LIMITED)).spent(USAGES, 2 * DAY);

        assertThat(budgets)
                .contains(
                        new Budget("qos/normal", gpuMillis(44)),
                        new Budget("qos/keep", gpuMillis(8)),
                        new Budget("account/lab", gpuMillis(46)));
    }

    @Test
    void who_has_no_limit_of_a_sum_has_no_budget() {
        assertThat(new Budgets(configuration(Limits.NONE)).spent(USAGES, DAY)).isEmpty();
    }

    private static Configuration configuration(Limits limits) {
        var terms = new Terms(null, List.of(), 0, limits, Map.of());
        return TestCluster.configuration(
                TestCluster.of("team", DAY / 1000, new Prices(1000, 0, 1000, Map.of())),
                partition("batch", null),
                partition("fast", "fast"),
                qos("normal", limits, List.of()),
                qos("keep", limits, List.of(Flag.NO_DECAY)),
                qos("fast", limits, List.of()),
                new Account(PART, "lab", null, 1, terms, null),
                new Account(PART, "team", "lab", 1, terms, null),
                new Account(PART, "other", null, 1),
                new Association(PART, "team", "alice", 1, true, terms));
    }

    private static Partition partition(String name, @Nullable String qos) {
        var rules =
                new PartitionRules(
                        PartitionRules.State.UP,
                        1,
                        0,
                        0,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        qos,
                        null,
                        0,
                        false,
                        null);
        return new Partition(
                PART, name, name.equals("batch"), List.of("ALL"), 0, 0, 0, 1, 1, 0, rules);
    }

    private static Qos qos(String name, Limits limits, List<Flag> flags) {
        return new Qos(PART, name, 0, new QosRules("", flags, 1000, 0, List.of(), null, limits));
    }
}
