package io.berth.core.fairshare;

import java.util.ArrayList;
import java.util.List;

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
/// the account's first user takes the same rank. Under the *documented* rule the children of
/// accounts that tie compete with one another at one level.
///
/// Departure: Slurm compares in floating point, so that equal ratios there may differ in the last
/// bit; here they are compared exactly.
///
/// Source: `slurm.conf(5)` and "Fair Tree Fairshare Algorithm" of Slurm 22.05, and its recorded
/// behaviour.
final class FairTree {

    private final boolean mergesTies;
    private final int users;
    private long lastRank;
    private long left;

    private FairTree(int users, boolean mergesTies) {
        this.mergesTies = mergesTies;
        this.users = users;
        this.lastRank = users;
        this.left = users;
    }

    /// Gives every user below the root his factor, and every node its parts and its LevelFS.
    ///
    /// @param mergesTies whether accounts that tie are merged, as the manual says
    static void rank(ShareNode root, int users, boolean mergesTies) {
        measure(root, 1_000_000);
        new FairTree(users, mergesTies).walk(root.level(), false);
    }

    /// Parts of shares and usage among siblings.
    ///
    /// @param normShares of the account, for those who have their parent's shares
    private static void measure(ShareNode account, long normShares) {
        List<ShareNode> level = account.level();
        long allShares =
                level.stream().filter(it -> !it.sharesOfParent()).mapToLong(it -> it.shares).sum();
        for (ShareNode node : level) {
            boolean parents = node.sharesOfParent();
            node.levelShares = allShares;
            node.levelUsage = account.usage;
            node.normShares = parents ? normShares : Parts.millionths(node.shares, allShares);
            node.effectiveUsage = Parts.millionths(node.usage, account.usage);
            node.levelFs = parents ? Double.NaN : levelFs(node);
            if (node.member == null) {
                measure(node, node.normShares);
            }
        }
    }

    private static double levelFs(ShareNode node) {
        if (node.shares == 0) {
            return 0;
        }
        return node.usage == 0
                ? Double.POSITIVE_INFINITY
                : ((double) node.shares / node.levelShares)
                        / ((double) node.usage / node.levelUsage);
    }

    /// Ranks all users of a level and below.
    ///
    /// @param tied whether the account above tied with the sibling before it
    private void walk(List<ShareNode> level, boolean tied) {
        level.sort(ShareNode.BY_LEVEL);
        for (int i = 0; i < level.size(); i++) {
            ShareNode node = level.get(i);
            boolean tiedHere = i == 0 ? tied : node.equalsInLevel(level.get(i - 1));
            if (node.member != null) {
                give(node, tiedHere);
                continue;
            }
            var below = new ArrayList<>(node.level());
            while (mergesTies && i + 1 < level.size() && node.equalsInLevel(level.get(i + 1))) {
                i++;
                below.addAll(level.get(i).level());
            }
            walk(below, tiedHere);
        }
    }

    private void give(ShareNode user, boolean tied) {
        if (!tied) {
            lastRank = left;
        }
        left--;
        user.factor = Parts.millionths(lastRank, users);
    }
}
