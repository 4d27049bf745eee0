package io.berth.core.fairshare;

import io.berth.contracts.event.FairShares.Factor;
import io.berth.contracts.event.PriorityRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// How everybody stands in the tree of accounts, by the rule that the cluster has set.
public final class FairShare {

    private FairShare() {}

    /// The factor of every association, in the order of the tree's associations.
    ///
    /// @param usage of members, not negative; whoever is missing has used nothing
    public static List<Factor> factors(
            ShareTree tree, Map<Member, Long> usage, PriorityRules rules) {
        ShareNode root = ranked(tree, usage, rules);
        return root.users().stream().map(it -> it.standing(root.usage, 0).published()).toList();
    }

    /// Every account and user, each account before what is below it: first its users, then its
    /// accounts, as `sshare` lists them.
    public static List<Standing> standings(
            ShareTree tree, Map<Member, Long> usage, PriorityRules rules) {
        ShareNode root = ranked(tree, usage, rules);
        root.effectiveUsage = 1_000_000;
        root.levelFs = Double.NaN;
        var standings = new ArrayList<Standing>();
        list(root, root.usage, 0, standings);
        return List.copyOf(standings);
    }

    private static ShareNode ranked(ShareTree tree, Map<Member, Long> usage, PriorityRules rules) {
        ShareNode root = ShareNode.root(tree, usage);
        int users = tree.associations().size();
        switch (rules.fairShareRule()) {
            case FAIR_TREE -> FairTree.rank(root, users, false);
            case FAIR_TREE_DOCUMENTED -> FairTree.rank(root, users, true);
            case CLASSIC -> ClassicFairShare.rank(root, Math.max(1, rules.dampening()));
        }
        return root;
    }

    private static void list(ShareNode node, long allUsage, int depth, List<Standing> standings) {
        standings.add(node.standing(allUsage, depth));
        for (ShareNode child : node.children) {
            if (child.member != null) {
                list(child, allUsage, depth + 1, standings);
            }
        }
        for (ShareNode child : node.children) {
            if (child.member == null) {
                list(child, allUsage, depth + 1, standings);
            }
        }
    }
}
