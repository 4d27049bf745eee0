package io.berth.client;

import io.berth.contracts.event.JobEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which events of jobs are followed: those that all of its fields admit. An empty list admits all.
public final class EventFilter {

    public List<Long> jobs = List.of();
    public List<String> users = List.of();
    public List<Class<? extends JobEvent>> types = List.of();

    /// The id of the event to go on after; null is from now on.
    public @Nullable String after;

    EventFilter() {}

    String path() {
        return new Query("/v1/events")
                .with("job", jobs)
                .with("user", users)
                .with("type", types.stream().map(Class::getSimpleName).toList())
                .toString();
    }
}
