package io.berth.core.fairshare;

import io.berth.contracts.event.FairShares.Factor;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/// Slurm's Fair Tree: the order in which users deserve the cluster next, as factors from above 0 to
/// 1.
///
/// Goals: if one account is more under-served than its sibling, *all* of its users come before all
/// users of that sibling; and so on down the tree.
///
/// Method: at each level, siblings stand in falling order of `LevelFS = (shares / shares of all
/// siblings) / (usage / usage of all siblings)`; no usage is infinite, no shares is 0. The tree is
/// walked depth-first in that order. The users met are ranked n, n-1, …, 1, and a user's factor is
/// his rank / n. Users who tie share the rank of the first of them, and the next ranks are skipped.
///
/// Example: accounts `a` (shares 50) and `b` (shares 30), where `a` used 4000 and `b` 700. LevelFS
/// is 50/4000 against 30/700, so `b` is first. In `b`, carol (15 shares) used 650 and dave (15) 50:
/// dave 4/4, carol 3/4. Then the users of `a` have 2/4 and 1/4, however little one of them used.
///
/// Ties are exactly those of the real Slurm 22.05, not those of its manual. An account that ties
/// with its sibling before it is *not* merged with it: its first user takes the rank given last,
/// that of the *worst* user of that sibling. A user who ties with an account stands before it, and
/// the account's first user takes the same rank.
///
/// Departure: Slurm compares in floating point, so that equal ratios there may differ in the last
/// bit; here they are compared exactly.
///
/// Source: `slurm.conf(5)` and "Fair Tree Fairshare Algorithm" of Slurm 22.05, and its recorded
/// behaviour.
public final class FairTree {

    private static final BigInteger MILLION = BigInteger.valueOf(1_000_000);

    private final int users;
    private final SequencedMap<Member, Factor> factors = new TreeMap<>();
    private long lastRank;
    private long left;

    private FairTree(int users) {
        this.users = users;
        this.lastRank = users;
        this.left = users;
    }

    /// The factor of every association, in the order of the tree's associations.
    ///
    /// @param usage of members, not negative; whoever is missing has used nothing
    public static List<Factor> rank(ShareTree tree, Map<Member, Long> usage) {
        var calculation = new FairTree(tree.associations().size());
        calculation.walk(ShareNode.root(tree, usage), 1_000_000, false);
        var factors = new ArrayList<Factor>();
        tree.associations()
                .forEach(
                        it -> factors.add(calculation.factor(new Member(it.account(), it.user()))));
        return List.copyOf(factors);
    }

    /// Ranks all users below an account.
    ///
    /// @param normShares of the account, for those who have their parent's shares
    /// @param tied whether the account tied with the sibling before it
    private void walk(ShareNode account, long normShares, boolean tied) {
        List<ShareNode> level = account.level();
        long allShares =
                level.stream().filter(it -> !it.sharesOfParent()).mapToLong(it -> it.shares).sum();
        level.sort(ShareNode.BY_LEVEL);
        for (int i = 0; i < level.size(); i++) {
            ShareNode node = level.get(i);
            boolean tiedHere = i == 0 ? tied : node.equalsInLevel(level.get(i - 1));
            long ownShares =
                    node.sharesOfParent() ? normShares : millionths(node.shares, allShares);
            if (node.member == null) {
                walk(node, ownShares, tiedHere);
            } else {
                give(node.member, tiedHere, ownShares, millionths(node.usage, account.usage));
            }
        }
    }

    private void give(Member member, boolean tied, long normShares, long effectiveUsage) {
        if (!tied) {
            lastRank = left;
        }
        left--;
        factors.put(
                member,
                new Factor(
                        member.account(),
                        member.user(),
                        millionths(lastRank, users),
                        normShares,
                        effectiveUsage));
    }

    private Factor factor(Member member) {
        Factor factor = factors.get(member);
        if (factor == null) {
            throw new IllegalStateException(
                    "ranking the share tree: " + member + " was not reached from the root");
        }
        return factor;
    }

    /// A part of a whole in millionths, rounded half up; 0 of nothing.
    private static long millionths(long part, long whole) {
        if (whole == 0) {
            return 0;
        }
        var divisor = BigInteger.valueOf(whole);
        return BigInteger.valueOf(part)
                .multiply(MILLION)
                .shiftLeft(1)
                .add(divisor)
                .divide(divisor.shiftLeft(1))
                .longValueExact();
    }
}
