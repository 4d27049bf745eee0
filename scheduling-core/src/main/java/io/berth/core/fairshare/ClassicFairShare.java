package io.berth.core.fairshare;

import java.util.List;

/// Slurm's fair share of before Fair Tree: a user's factor says how much of his own part he used,
/// whatever the others did.
///
/// Method: a node's *norm shares* are its shares / those of its siblings, times its parent's norm
/// shares; so all leaves together have 1. Its *norm usage* is its part of the whole cluster's
/// usage. Right under the root that is its *effective usage* too; further down that also counts
/// what its siblings used:
///
/// `effective = own + (parent's effective - own) × shares / shares of all siblings`
///
/// and the factor is `2^(-effective / norm shares / dampening)`: 1 without usage, 0.5 for exactly
/// the promised part, 0 without shares.
///
/// Example: alice and bob have 3 and 1 shares right under the root, and all usage is alice's. Her
/// norm shares are 0.75 and her effective usage 1, so her factor is `2^(-1/0.75)` = 0.397; bob's
/// effective usage is 0, his factor 1. Were both in an account of their own right under the root,
/// his would be `0 + 1 × 1/4`, and his factor `2^(-0.25/0.25)` = 0.5.
///
/// Computed in strict floating point, the same on every machine, and rounded to millionths.
///
/// Source: "Multifactor Priority Plugin" of Slurm 22.05, "Fairshare"; `slurm.conf(5)`,
/// FairShareDampeningFactor and PriorityFlags=NO_FAIR_TREE.
final class ClassicFairShare {

    private static final double MILLION = 1_000_000;
    private static final double LN_2 = StrictMath.log(2);

    private final ShareNode root;
    private final double allUsage;
    private final int dampening;

    private ClassicFairShare(ShareNode root, int dampening) {
        this.root = root;
        this.allUsage = root.usage;
        this.dampening = dampening;
    }

    /// Gives every user below the root his factor.
    static void rank(ShareNode root, int dampening) {
        new ClassicFairShare(root, dampening).walk(root, 1, root.usage == 0 ? 0 : 1);
    }

    private void walk(ShareNode account, double normShares, double effectiveUsage) {
        List<ShareNode> level = account.level();
        long allShares =
                level.stream().filter(it -> !it.sharesOfParent()).mapToLong(it -> it.shares).sum();
        for (ShareNode node : level) {
            boolean parents = node.sharesOfParent();
            double part = allShares == 0 ? 0 : (double) node.shares / allShares;
            double own = allUsage == 0 ? 0 : node.usage / allUsage;
            double norm = parents ? normShares : normShares * part;
            double others = account == root ? 0 : (effectiveUsage - own) * part;
            double effective = parents ? effectiveUsage : own + others;
            node.normShares = Math.round(norm * MILLION);
            node.effectiveUsage = Math.round(effective * MILLION);
            node.levelFs = Double.NaN;
            if (node.member == null) {
                walk(node, norm, effective);
            } else if (norm > 0) {
                node.factor =
                        Math.round(StrictMath.exp(-LN_2 * effective / norm / dampening) * MILLION);
            }
        }
    }
}
