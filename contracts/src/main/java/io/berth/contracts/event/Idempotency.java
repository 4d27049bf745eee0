package io.berth.contracts.event;

import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobId;
import io.berth.contracts.event.Submission.Submitted;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The rule of idempotency keys, the same for every reader of `submissions`: per user, the first
/// Submitted in log order with a key is the job of that key for 24 hours; a later one is void.
///
/// Not safe for use by several threads.
public final class Idempotency {

    /// How long a key is remembered, in milliseconds of log append time.
    public static final long MEMORY_MILLIS = 24 * 3600 * 1000L;

    /// The job that a key stands for.
    public record Claim(JobId job, IdempotencyKey key, long at) {}

    private record Scope(String user, String key) {}

    private final Map<Scope, Claim> claims = new LinkedHashMap<>();

    /// Takes the next Submitted of the log, appended at that time. Returns the claim that came
    /// first, if this one is void.
    public Optional<Claim> read(Submitted submitted, long appendedAt) {
        IdempotencyKey key = submitted.key();
        if (key == null) {
            return Optional.empty();
        }
        forget(appendedAt);
        var claim = new Claim(submitted.job(), key, appendedAt);
        Claim first =
                claims.putIfAbsent(new Scope(submitted.description().user(), key.key()), claim);
        return first == null || first.job().equals(submitted.job())
                ? Optional.empty()
                : Optional.of(first);
    }

    /// The claim of this user's key, if there is one.
    public Optional<Claim> find(String user, String key) {
        return Optional.ofNullable(claims.get(new Scope(user, key)));
    }

    private void forget(long now) {
        var oldestFirst = claims.values().iterator();
        while (oldestFirst.hasNext() && oldestFirst.next().at() < now - MEMORY_MILLIS) {
            oldestFirst.remove();
        }
    }
}
