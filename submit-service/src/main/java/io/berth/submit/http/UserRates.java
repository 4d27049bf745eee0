package io.berth.submit.http;

import io.berth.submit.RecentlyUsed;
import io.berth.submit.SubmitConfig;
import io.berth.submit.TooBusy;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.security.identity.SecurityIdentity;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// How many requests each user may send: so many a second, after as many at once as in two seconds.
/// What is too much is turned away before anything is done of it: `429`. Operators are not counted.
@Singleton
final class UserRates {
    private static final int SECONDS_AT_ONCE = 2;

    /// The one who asked least lately is forgotten when there are more.
    private static final int MOST_USERS = 10_000;

    private final SecurityIdentity identity;
    private final int perSecond;
    private final LongSupplier nanos;
    private final Counter turnedAway;
    private final Map<String, Bucket> buckets = RecentlyUsed.atMost(MOST_USERS);

    /// What a user may still send, in requests, as it was at that time.
    private record Bucket(double left, long at) {}

    @Inject
    UserRates(SecurityIdentity identity, SubmitConfig config, MeterRegistry registry) {
        this(identity, config.userRequestsPerSecond(), registry, System::nanoTime);
    }

    /// @param perSecond 0 is without a limit
    UserRates(
            SecurityIdentity identity, int perSecond, MeterRegistry registry, LongSupplier nanos) {
        this.identity = identity;
        this.perSecond = perSecond;
        this.nanos = nanos;
        this.turnedAway = registry.counter("berth.requests.over.rate");
    }

    /// Counts the request that is being answered.
    ///
    /// @throws TooBusy if it is one too many
    void count() {
        if (!identity.isAnonymous()
                && !take(identity.getPrincipal().getName(), identity.getRoles())) {
            turnedAway.increment();
            throw new TooBusy("a user may send " + perSecond + " requests a second");
        }
    }

    /// Takes one request of what the user may send in these roles. Whether there was one.
    boolean take(String user, Set<String> roles) {
        return perSecond == 0 || roles.contains(Callers.OPERATOR) || take(user);
    }

    /// Takes one request of what the user may send. Whether there was one.
    boolean take(String user) {
        long now = nanos.getAsLong();
        double most = (double) perSecond * SECONDS_AT_ONCE;
        synchronized (buckets) {
            Bucket before = buckets.getOrDefault(user, new Bucket(most, now));
            double grown = (double) (now - before.at()) / TimeUnit.SECONDS.toNanos(1) * perSecond;
            double left = Math.min(most, before.left() + grown);
            boolean any = left >= 1;
            buckets.put(user, new Bucket(any ? left - 1 : left, now));
            return any;
        }
    }
}
