package io.berth.core.fairshare;

import static io.berth.contracts.event.ConfigEntry.PARENT_SHARES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.FairShares.Factor;
import io.berth.contracts.event.PriorityRules;
import io.berth.contracts.event.PriorityRules.FairShareRule;
import io.berth.contracts.event.PriorityRules.UsageReset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class FairTreeTest {

    private static final Part PART = new Part(1, 1, 1);
    private static final long ONE = 1_000_000;

    @Test
    void all_users_of_the_less_served_account_come_before_all_of_its_sibling() {
        var tree =
                new ShareTree(
                        List.of(account("a", 50), account("b", 30)),
                        List.of(
                                user("a", "alice", 30),
                                user("a", "bob", 20),
                                user("b", "carol", 15),
                                user("b", "dave", 15)));
        var usage = usage("a/alice", 3990L, "a/bob", 10L, "b/carol", 650L, "b/dave", 50L);

        assertThat(factors(tree, usage))
                .isEqualTo(
                        Map.of(
                                "b/dave", ONE,
                                "b/carol", 750_000L,
                                "a/bob", 500_000L,
                                "a/alice", 250_000L));
    }

    @Test
    void what_a_user_used_who_left_an_account_stays_the_accounts() {
        var tree =
                new ShareTree(
                        List.of(account("a", 50), account("b", 50)),
                        List.of(user("a", "alice", 1), user("b", "carol", 1)));
        var usage = usage("a/alice", 10L, "a/bob", 90L, "b/carol", 20L, "gone/eve", 70L);

        assertThat(factors(tree, usage)).isEqualTo(Map.of("b/carol", ONE, "a/alice", 500_000L));
    }

    /// The three users in docs/priority.md.
    @Test
    void a_factor_is_a_place_and_no_ratio_of_use_to_share() {
        var tree =
                new ShareTree(
                        List.of(),
                        List.of(
                                user("root", "alice", 30),
                                user("root", "bob", 20),
                                user("root", "carol", 50)));
        var usage = usage("root/alice", 57L, "root/bob", 13L, "root/carol", 30L);

        assertThat(factors(tree, usage))
                .isEqualTo(Map.of("root/bob", 666_667L, "root/carol", ONE, "root/alice", 333_333L));
        assertThat(factors(tree, usage, rule(FairShareRule.CLASSIC, 1)))
                .isEqualTo(
                        Map.of(
                                "root/bob", 637_280L,
                                "root/carol", 659_754L,
                                "root/alice", 267_943L));
    }

    @Test
    void the_first_user_of_a_tied_account_takes_the_rank_of_the_worst_before_him() {
        var tree =
                new ShareTree(
                        List.of(account("a", 10), account("b", 10)),
                        List.of(
                                user("a", "best", 3),
                                user("a", "worst", 1),
                                user("b", "first", 1),
                                user("b", "second", 1)));
        var usage = usage("a/best", 50L, "a/worst", 50L, "b/first", 20L, "b/second", 80L);

        assertThat(factors(tree, usage))
                .isEqualTo(
                        Map.of(
                                "a/best", ONE,
                                "a/worst", 750_000L,
                                "b/first", 750_000L,
                                "b/second", 250_000L));
    }

    @Test
    void the_documented_rule_merges_accounts_that_tie() {
        var tree =
                new ShareTree(
                        List.of(account("a", 10), account("b", 10)),
                        List.of(
                                user("a", "best", 3),
                                user("a", "worst", 1),
                                user("b", "first", 1),
                                user("b", "second", 1)));
        var usage = usage("a/best", 50L, "a/worst", 50L, "b/first", 20L, "b/second", 80L);

        // LevelFS: first 2.5, best 1.5, second 0.625, worst 0.5.
        assertThat(factors(tree, usage, rule(FairShareRule.FAIR_TREE_DOCUMENTED, 1)))
                .isEqualTo(
                        Map.of(
                                "b/first", ONE,
                                "a/best", 750_000L,
                                "b/second", 500_000L,
                                "a/worst", 250_000L));
    }

    @Test
    void the_classic_rule_weighs_effective_usage_against_shares() {
        var tree =
                new ShareTree(List.of(), List.of(user("root", "alice", 3), user("root", "bob", 1)));

        Map<String, Long> factors =
                factors(tree, usage("root/alice", 7L), rule(FairShareRule.CLASSIC, 1));

        // 2^(-1/0.75) and 2^0.
        assertThat(factors).isEqualTo(Map.of("root/alice", 396_850L, "root/bob", ONE));
    }

    @Test
    void the_classic_rule_goes_down_the_tree_and_is_dampened() {
        var tree =
                new ShareTree(
                        List.of(account("a", 1), account("b", 1)),
                        List.of(user("a", "u", 1), user("a", "v", 1), user("b", "w", 1)));

        Map<String, Long> factors =
                factors(tree, usage("a/u", 60L, "b/w", 40L), rule(FairShareRule.CLASSIC, 5));

        // a: 0.6; u: 0.6 + 0/2 = 0.6, v: 0 + 0.6/2 = 0.3, each of 1/4;
        // b: 0.4 of 1/2, and w has all of it.
        assertThat(factors)
                .isEqualTo(
                        Map.of(
                                "a/u", Math.round(ONE * Math.pow(2, -0.6 / 0.25 / 5)),
                                "a/v", Math.round(ONE * Math.pow(2, -0.3 / 0.25 / 5)),
                                "b/w", Math.round(ONE * Math.pow(2, -0.4 / 0.5 / 5))));
    }

    @Test
    void the_classic_rule_gives_all_without_usage_and_nothing_without_shares() {
        var tree = new ShareTree(List.of(), List.of(user("root", "a", 0), user("root", "b", 1)));

        assertThat(factors(tree, Map.of(), rule(FairShareRule.CLASSIC, 1)))
                .isEqualTo(Map.of("root/a", 0L, "root/b", ONE));
    }

    @Test
    void a_user_who_ties_with_an_account_shares_the_rank_of_its_best_user() {
        var tree =
                new ShareTree(
                        List.of(account("a", 1)),
                        List.of(user("a", "inner", 1), user("root", "outer", 1)));

        assertThat(factors(tree, usage("a/inner", 7L, "root/outer", 7L)))
                .isEqualTo(Map.of("root/outer", ONE, "a/inner", ONE));
    }

    @Test
    void the_children_of_an_account_with_its_parents_shares_compete_a_level_higher() {
        var tree =
                new ShareTree(
                        List.of(
                                account("a", 10),
                                new Account(PART, "dissolved", "a", PARENT_SHARES)),
                        List.of(
                                user("a", "direct", 1),
                                user("dissolved", "deep", 3),
                                user("dissolved", "deeper", 1)));
        var usage = usage("a/direct", 10L, "dissolved/deep", 10L, "dissolved/deeper", 80L);

        List<Factor> factors = FairShare.factors(tree, usage, PriorityRules.DEFAULT);

        assertThat(factors)
                .containsExactly(
                        new Factor("a", "direct", 666_667, 200_000, 100_000),
                        new Factor("dissolved", "deep", ONE, 600_000, 100_000),
                        new Factor("dissolved", "deeper", 333_333, 200_000, 800_000));
    }

    @Test
    void usage_beyond_63_bits_of_product_is_compared_exactly() {
        var tree =
                new ShareTree(
                        List.of(),
                        List.of(
                                user("root", "a", Integer.MAX_VALUE),
                                user("root", "b", Integer.MAX_VALUE - 1)));
        long much = 3_000_000_000_000_000_000L;

        assertThat(factors(tree, usage("root/a", much, "root/b", much)))
                .isEqualTo(Map.of("root/a", ONE, "root/b", 500_000L));
    }

    @Test
    void a_user_below_an_unknown_account_is_impossible() {
        var tree = new ShareTree(List.of(), List.of(user("nowhere", "a", 1)));

        assertThatIllegalStateException()
                .isThrownBy(() -> FairShare.factors(tree, Map.of(), PriorityRules.DEFAULT))
                .withMessageContaining("user a")
                .withMessageContaining("'nowhere'");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void ranks_are_all_given_and_more_usage_never_raises_a_user_without_ties(long seed) {
        var random = new Random(seed);
        ShareTree tree = randomTree(random);
        Map<Member, Long> usage = randomUsage(tree, random);

        List<Factor> factors = FairShare.factors(tree, usage, PriorityRules.DEFAULT);

        long n = tree.associations().size();
        var given = new TreeSet<Long>();
        factors.forEach(it -> given.add(it.factor()));
        assertThat(given.last()).isEqualTo(ONE);
        assertThat(given).allMatch(it -> it > 0 && (it * n + n / 2) / ONE <= n);
        Association greedy = tree.associations().get(random.nextInt((int) n));
        var member = new Member(greedy.account(), greedy.user());
        var more = new HashMap<>(usage);
        more.merge(member, 1_000_000_007L, Long::sum);
        assertThat(of(member, FairShare.factors(tree, more, PriorityRules.DEFAULT)))
                .isLessThanOrEqualTo(of(member, factors));
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15})
    void the_order_of_declaration_matters_only_to_ties(long seed) {
        var random = new Random(seed);
        ShareTree tree = randomTree(random);
        Map<Member, Long> usage = randomUsage(tree, random);
        var accounts = new ArrayList<>(tree.accounts());
        var associations = new ArrayList<>(tree.associations());
        Collections.shuffle(accounts, random);
        Collections.shuffle(associations, random);

        List<Factor> shuffled =
                FairShare.factors(
                        new ShareTree(accounts, associations), usage, PriorityRules.DEFAULT);

        assertThat(shuffled)
                .containsExactlyInAnyOrderElementsOf(
                        FairShare.factors(tree, usage, PriorityRules.DEFAULT));
    }

    /// Usages are distinct primes times a size, so that no two LevelFS are equal.
    private static Map<Member, Long> randomUsage(ShareTree tree, Random random) {
        var usage = new TreeMap<Member, Long>();
        for (Association it : tree.associations()) {
            usage.put(
                    new Member(it.account(), it.user()),
                    1 + (random.nextLong() >>> (20 + random.nextInt(30))));
        }
        return usage;
    }

    private static ShareTree randomTree(Random random) {
        var accounts = new ArrayList<Account>();
        var associations = new ArrayList<Association>();
        int size = 1 + random.nextInt(12);
        for (int i = 0; i < size; i++) {
            @Nullable String parent =
                    i == 0 || random.nextInt(3) == 0 ? null : "a" + random.nextInt(i);
            accounts.add(new Account(PART, "a" + i, parent, 1 + random.nextInt(97)));
            for (int k = random.nextInt(4); k >= 0; k--) {
                associations.add(user("a" + i, "u" + i + "_" + k, 1 + random.nextInt(97)));
            }
        }
        return new ShareTree(accounts, associations);
    }

    private static Long of(Member member, List<Factor> factors) {
        return factors.stream()
                .filter(it -> new Member(it.account(), it.user()).equals(member))
                .findFirst()
                .orElseThrow()
                .factor();
    }

    @ParameterizedTest
    @EnumSource
    void an_account_is_as_far_from_its_share_as_its_part_of_the_usage_beside_it_is(
            FairShareRule which) {
        var tree =
                new ShareTree(
                        List.of(
                                account("a", 1),
                                account("b", 1),
                                new Account(PART, "a1", "a", 1),
                                new Account(PART, "a2", "a", 1)),
                        List.of(user("a1", "u", 1)));

        FairShare shares = FairShare.of(tree, usage("a1/u", 10L), rule(which, 1));

        assertThat(shares.deviations())
                .isEqualTo(Map.of("a", 0.5, "b", -0.5, "a1", 0.5, "a2", -0.5));
    }

    private static PriorityRules rule(FairShareRule rule, int dampening) {
        return new PriorityRules(rule, dampening, UsageReset.NONE, false, 0, Map.of());
    }

    private static Map<String, Long> factors(ShareTree tree, Map<Member, Long> usage) {
        return factors(tree, usage, PriorityRules.DEFAULT);
    }

    private static Map<String, Long> factors(
            ShareTree tree, Map<Member, Long> usage, PriorityRules rules) {
        var factors = new TreeMap<String, Long>();
        FairShare.factors(tree, usage, rules)
                .forEach(it -> factors.put(it.account() + "/" + it.user(), it.factor()));
        return factors;
    }

    private static Map<Member, Long> usage(Object... namesAndAmounts) {
        var usage = new HashMap<Member, Long>();
        for (int i = 0; i < namesAndAmounts.length; i += 2) {
            String[] name = namesAndAmounts[i].toString().split("/");
            usage.put(new Member(name[0], name[1]), (Long) namesAndAmounts[i + 1]);
        }
        return usage;
    }

    private static Account account(String name, int shares) {
        return new Account(PART, name, null, shares);
    }

    private static Association user(String account, String name, int shares) {
        return new Association(PART, account, name, shares, true);
    }
}
