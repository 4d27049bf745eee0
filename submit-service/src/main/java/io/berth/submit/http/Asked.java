package io.berth.submit.http;

import io.berth.contracts.JobId;
import io.berth.submit.Position;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What was asked last of each job, until it is decided. Of what may stand in the log or not it is
/// only known that it stands below the log's end, once it is tried no more.
///
/// Safe for use by several threads.
final class Asked {

    /// @param position null while it may stand in the log or not
    /// @param at when it was asked, in epoch milliseconds
    private record Request(@Nullable Position position, long at) {}

    private final Map<JobId, Request> last = new ConcurrentHashMap<>();

    /// Something is about to be asked of these jobs.
    void asking(List<JobId> jobs, long now) {
        jobs.forEach(job -> last.put(job, new Request(null, now)));
    }

    /// It stands in the log below that position.
    void written(List<JobId> jobs, Position position, long now) {
        jobs.forEach(job -> last.put(job, new Request(position, now)));
    }

    /// Below which position stands all that was asked of these jobs; nothing if all is decided.
    ///
    /// @param end of the log, asked where something may stand in it or not
    Optional<Position> below(List<JobId> jobs, Supplier<Position> end) {
        List<Request> requests =
                jobs.stream().flatMap(job -> Stream.ofNullable(last.get(job))).toList();
        if (requests.stream().anyMatch(it -> it.position() == null)) {
            return Optional.of(end.get());
        }
        return requests.stream()
                .map(Request::position)
                .filter(Objects::nonNull)
                .max((a, b) -> Long.compare(a.offset(), b.offset()));
    }

    /// Forgets what is decided.
    ///
    /// @param triedUntil what was asked before that time is tried no more, in epoch milliseconds
    /// @param end of the log, asked only where something may stand in it that was asked before
    void forget(Predicate<Position> decided, long triedUntil, Supplier<Position> end) {
        last.values().removeIf(it -> it.position() != null && decided.test(it.position()));
        if (last.values().stream().anyMatch(it -> isLost(it, triedUntil))) {
            Position now = end.get();
            last.replaceAll((_, it) -> isLost(it, triedUntil) ? new Request(now, it.at()) : it);
        }
    }

    private static boolean isLost(Request request, long triedUntil) {
        return request.position() == null && request.at() < triedUntil;
    }

    int size() {
        return last.size();
    }
}
