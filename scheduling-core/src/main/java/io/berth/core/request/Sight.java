package io.berth.core.request;

import io.berth.contracts.PrivateData;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Reservation;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What one who asks may see of a cluster. Operators see all; others what is not private, their
/// own, and that of the accounts which they coordinate.
///
/// Source: slurm.conf(5), "PrivateData".
///
/// @param configuration in force; null if it is not known, and then everything is private
public record Sight(@Nullable Configuration configuration, String user, boolean operator) {

    /// Whether it is private, and the one who asks no operator.
    public boolean hides(PrivateData kind) {
        return !operator
                && (configuration == null || configuration.cluster().privateData().contains(kind));
    }

    /// Whether he sees a job of that user in that account.
    public boolean job(String owner, String account) {
        return !hides(PrivateData.JOBS) || concerns(owner, account);
    }

    /// Whether he sees what that user used in that account, or, without a user, the whole account.
    public boolean usage(String account, @Nullable String of) {
        return !hides(PrivateData.USAGE) || concerns(of, account);
    }

    /// Whether he sees the definition of an account.
    public boolean account(String name) {
        return !hides(PrivateData.ACCOUNTS) || coordinates(name);
    }

    /// Whether he sees that a user belongs to an account.
    public boolean member(String account, String of) {
        return !hides(PrivateData.USERS) || concerns(of, account);
    }

    public boolean reservation(Reservation it) {
        return !hides(PrivateData.RESERVATIONS) || mayUse(it);
    }

    /// The accounts that he coordinates, with those below them.
    public Stream<String> coordinated() {
        return configuration == null
                ? Stream.of()
                : configuration.accounts().keySet().stream().filter(this::coordinates);
    }

    private boolean concerns(@Nullable String owner, String account) {
        return user.equals(owner) || coordinates(account);
    }

    private boolean coordinates(String account) {
        return configuration != null && configuration.coordinates(user, account);
    }

    private boolean mayUse(Reservation reservation) {
        Configuration known = configuration;
        return known != null
                && Stream.concat(
                                Stream.of(known.accountOf(user)),
                                known.associations().stream()
                                        .filter(it -> it.user().equals(user))
                                        .map(it -> it.account()))
                        .anyMatch(it -> Reserved.admits(known, reservation, user, it));
    }
}
