package io.berth.core.fairshare;

import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.TreeSet;

/// The accounts and users that share the cluster, in the order of their declaration.
public record ShareTree(List<Account> accounts, List<Association> associations) {

    /// Shares of a user who was never configured.
    private static final int STRANGER_SHARES = 1;

    public ShareTree {
        accounts = List.copyOf(accounts);
        associations = List.copyOf(associations);
    }

    /// The configured tree, and in its default account, after the users configured there and
    /// sorted, those of `seen` who have no association in it.
    public static ShareTree of(Configuration configuration, Collection<Member> seen) {
        SequencedSet<Member> known = new LinkedHashSet<>();
        configuration.associations().forEach(it -> known.add(new Member(it.account(), it.user())));
        var associations = new ArrayList<>(configuration.associations());
        String account = configuration.cluster().defaultAccount();
        var part = new ConfigEntry.Part(configuration.revision(), 0, 0);
        for (Member member : new TreeSet<>(seen)) {
            if (member.account().equals(account) && known.add(member)) {
                associations.add(
                        new Association(part, account, member.user(), STRANGER_SHARES, true));
            }
        }
        return new ShareTree(List.copyOf(configuration.accounts().values()), associations);
    }
}
