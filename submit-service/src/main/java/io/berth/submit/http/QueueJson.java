package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.core.placement.QueueStatus;
import io.berth.core.request.Sight;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// An account as a queue: what it is guaranteed, and how it stands. Amounts are by the names of
/// TRES, memory in MiB.
///
/// @param parent left out of an account right under the root
/// @param guarantee empty if it is guaranteed nothing
/// @param used by its jobs, and by those of accounts below it
/// @param borrowed of that, by runs that do not stand on its guarantee or on one below it
/// @param lent of its guarantee, what it does not use and what is free nowhere: others use it
/// @param running jobs that hold something
/// @param pending jobs that wait
@Schema(name = "Queue")
@JsonInclude(JsonInclude.Include.NON_NULL)
record QueueJson(
        String account,
        @Nullable String parent,
        Map<String, Long> guarantee,
        Map<String, Long> used,
        Map<String, Long> borrowed,
        Map<String, Long> lent,
        int running,
        int pending) {

    /// Those of which he who asks may see what they use.
    static Lists.Queues all(QueueStatus.All all, Sight sight) {
        List<QueueJson> queues =
                all.queues().stream()
                        .filter(it ->
                                sight.account(it.account()) && sight.usage(it.account(), null))
                        .map(QueueJson::of)
                        .toList();
        return new Lists.Queues(queues, all.capacity(), all.guaranteed());
    }

    private static QueueJson of(QueueStatus it) {
        return new QueueJson(
                it.account(),
                it.parent(),
                it.guarantee(),
                it.used(),
                it.borrowed(),
                it.lent(),
                it.running(),
                it.pending());
    }
}
