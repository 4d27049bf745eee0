package io.berth.core.fairshare;

import io.berth.contracts.event.FairShares.Factor;
import io.berth.contracts.event.PriorityRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// How everybody stands in the tree of accounts, by the rule that the cluster has set.
public final class FairShare {

    private final ShareNode root;

    private FairShare(ShareNode root) {
        this.root = root;
    }

    /// One calculation.
    ///
    /// @param usage of members, not negative; whoever is missing has used nothing
    public static FairShare of(ShareTree tree, Map<Member, Long> usage, PriorityRules rules) {
        ShareNode root = ShareNode.root(tree, usage);
        int users = tree.associations().size();
        switch (rules.fairShareRule()) {
            case FAIR_TREE -> FairTree.rank(root, users, false);
            case FAIR_TREE_DOCUMENTED -> FairTree.rank(root, users, true);
            case CLASSIC -> ClassicFairShare.rank(root, Math.max(1, rules.dampening()));
        }
        return new FairShare(root);
    }

    /// The factor of every association, in the order of the tree's associations.
    public static List<Factor> factors(
            ShareTree tree, Map<Member, Long> usage, PriorityRules rules) {
        return of(tree, usage, rules).factors();
    }

    /// The factor of every association, in the order of the tree's associations.
    public List<Factor> factors() {
        return root.users().stream().map(it -> it.standing(root.usage, 0).published()).toList();
    }

    /// How far each account is from its share: its part of its siblings' usage less its part of
    /// their shares, above 0 if it has used more than its share, from -1 to 1. 0 where none of them
    /// has used anything. The root has none, nor has an account with its parent's shares.
    public SortedMap<String, Double> deviations() {
        var deviations = new TreeMap<String, Double>();
        deviations(root, deviations);
        return deviations;
    }

    private static void deviations(ShareNode account, Map<String, Double> into) {
        List<ShareNode> level = account.level();
        long shares =
                level.stream().filter(it -> !it.sharesOfParent()).mapToLong(it -> it.shares).sum();
        for (ShareNode node : level) {
            if (node.member == null) {
                long used = Parts.millionths(node.usage, account.usage);
                long due = account.usage == 0 ? 0 : Parts.millionths(node.shares, shares);
                into.put(node.name, (used - due) / 1e6);
                deviations(node, into);
            }
        }
    }

    /// Every account and user, each account before what is below it: first its users, then its
    /// accounts, as `sshare` lists them.
    public static List<Standing> standings(
            ShareTree tree, Map<Member, Long> usage, PriorityRules rules) {
        ShareNode root = of(tree, usage, rules).root;
        root.effectiveUsage = 1_000_000;
        root.levelFs = Double.NaN;
        var standings = new ArrayList<Standing>();
        list(root, root.usage, 0, standings);
        return List.copyOf(standings);
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
