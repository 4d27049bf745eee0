package io.berth.core.fairshare;

import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// An account or a user in the tree while one calculation runs: mutable, and seen by nobody else.
final class ShareNode {

    /// Falling LevelFS; a user before an account that equals him.
    static final Comparator<ShareNode> BY_LEVEL = ShareNode::compareLevel;

    final String name;
    final @Nullable Member member;
    final int shares;
    final List<ShareNode> children = new ArrayList<>();
    private final List<ShareNode> declared = new ArrayList<>();
    long usage;

    /// Of all that compete at its level.
    long levelShares;

    long levelUsage;

    /// What a rule finds out, in millionths.
    long normShares;

    long effectiveUsage;
    long factor;
    double levelFs = Double.NaN;

    private ShareNode(String name, @Nullable Member member, int shares) {
        this.name = name;
        this.member = member;
        this.shares = shares;
    }

    /// The root of a tree whose users have used that much. What a user used in an account that he
    /// is in no more is the account's.
    static ShareNode root(ShareTree tree, Map<Member, Long> usage) {
        var root = new ShareNode(ConfigEntry.ROOT_ACCOUNT, null, 1);
        SequencedMap<String, ShareNode> accounts = new LinkedHashMap<>();
        accounts.put(root.name, root);
        for (Account account : tree.accounts()) {
            accounts.put(account.name(), new ShareNode(account.name(), null, account.shares()));
        }
        Set<Member> members = new HashSet<>();
        for (Association association : tree.associations()) {
            var member = new Member(association.account(), association.user());
            var user = new ShareNode(association.user(), member, association.shares());
            user.usage = usage.getOrDefault(member, 0L);
            find(accounts, association.account(), "user " + association.user()).children.add(user);
            root.declared.add(user);
            members.add(member);
        }
        usage.forEach((member, used) -> {
            ShareNode account = accounts.get(member.account());
            if (account != null && !members.contains(member)) {
                account.usage = Math.addExact(account.usage, used);
            }
        });
        for (Account account : tree.accounts()) {
            String parent = account.parent() == null ? root.name : account.parent();
            find(accounts, parent, "account " + account.name())
                    .children
                    .add(find(accounts, account.name(), "tree"));
        }
        root.sumUsage();
        return root;
    }

    private static ShareNode find(Map<String, ShareNode> accounts, String name, String subject) {
        ShareNode account = accounts.get(name);
        if (account == null) {
            throw new IllegalStateException(
                    "building the share tree: "
                            + subject
                            + " is below account '"
                            + name
                            + "', which is not in the tree");
        }
        return account;
    }

    private long sumUsage() {
        for (ShareNode child : children) {
            if (child.member == null) {
                child.sumUsage();
            }
            usage = Math.addExact(usage, child.usage);
        }
        return usage;
    }

    /// Of the root: all users, in the order of their declaration.
    List<ShareNode> users() {
        return declared;
    }

    Standing standing(long allUsage, int depth) {
        return new Standing(
                member == null ? name : member.account(),
                member == null ? null : member.user(),
                depth,
                shares,
                normShares,
                usage,
                Parts.millionths(usage, allUsage),
                effectiveUsage,
                levelFs,
                factor);
    }

    boolean sharesOfParent() {
        return shares == ConfigEntry.PARENT_SHARES;
    }

    /// Those who compete at the level below this account: its users and accounts, and in the place
    /// of an account with the parent's shares those who compete below that.
    List<ShareNode> level() {
        var level = new ArrayList<ShareNode>();
        for (ShareNode child : children) {
            if (child.member == null && child.sharesOfParent()) {
                level.addAll(child.level());
            } else {
                level.add(child);
            }
        }
        return level;
    }

    boolean equalsInLevel(ShareNode other) {
        return compareFactor(this, other) == 0;
    }

    private static int compareLevel(ShareNode a, ShareNode b) {
        int factor = compareFactor(b, a);
        return factor != 0 ? factor : Boolean.compare(a.member == null, b.member == null);
    }

    /// By LevelFS. Among siblings the sums are the same, so `a` is above `b` when `a.shares ×
    /// b.usage > b.shares × a.usage`; children of accounts that were merged bring sums of their
    /// own.
    private static int compareFactor(ShareNode a, ShareNode b) {
        if (a.infinite() || b.infinite()) {
            return Boolean.compare(a.infinite(), b.infinite());
        }
        if (a.shares == 0 || b.shares == 0) {
            return Boolean.compare(a.shares != 0, b.shares != 0);
        }
        if (a.levelShares != b.levelShares || a.levelUsage != b.levelUsage) {
            return a.ofLevel(b).compareTo(b.ofLevel(a));
        }
        int high =
                Long.compare(
                        Math.multiplyHigh(a.shares, b.usage), Math.multiplyHigh(b.shares, a.usage));
        return high != 0 ? high : Long.compareUnsigned(a.shares * b.usage, b.shares * a.usage);
    }

    /// This node's LevelFS over a common denominator with the other's.
    private BigInteger ofLevel(ShareNode other) {
        return BigInteger.valueOf(shares)
                .multiply(BigInteger.valueOf(levelUsage))
                .multiply(BigInteger.valueOf(other.levelShares))
                .multiply(BigInteger.valueOf(other.usage));
    }

    private boolean infinite() {
        return sharesOfParent() || (usage == 0 && shares > 0);
    }
}
