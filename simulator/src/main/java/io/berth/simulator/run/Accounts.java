package io.berth.simulator.run;

import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.core.fairshare.Member;
import io.berth.core.fairshare.ShareTree;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.SequencedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/// Who shares a simulated cluster: the groups of a trace are its accounts, and the users of a group
/// have one share each of it.
///
/// An account has as many shares as the partition of its name has GPUs; where no node is in a
/// partition of that name, 1.
final class Accounts {

    private static final Part PART = new Part(1, 1, 1);

    /// Before each name: the tree has an account `root` of its own.
    private static final String BELOW_ROOT = "/";

    private final SequencedMap<String, Integer> shares = new TreeMap<>();
    private final TreeSet<Member> members = new TreeSet<>();

    Accounts(List<TraceJob> jobs, List<TraceNode> nodes) {
        for (TraceJob job : jobs) {
            shares.put(job.group(), 0);
            members.add(member(job));
        }
        nodes.forEach(
                node -> shares.computeIfPresent(node.partition(), (_, it) -> it + node.gpus()));
        shares.replaceAll((_, it) -> Math.max(1, it));
    }

    static Member member(TraceJob job) {
        return new Member(BELOW_ROOT + job.group(), job.user());
    }

    SortedSet<Member> members() {
        return members;
    }

    /// The shares of each account, by name.
    SequencedMap<String, Integer> shares() {
        return shares;
    }

    ShareTree tree() {
        var accounts = new ArrayList<Account>();
        shares.forEach(
                (name, its) -> accounts.add(new Account(PART, BELOW_ROOT + name, null, its)));
        return new ShareTree(
                accounts,
                members.stream()
                        .map(it -> new Association(PART, it.account(), it.user(), 1, true))
                        .toList());
    }
}
