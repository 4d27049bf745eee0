package io.berth.client;

import io.berth.contracts.JobState;
import java.util.List;

/// Which jobs a list shows: those that all of its fields admit. An empty list admits all; without
/// states and ids that is all that have not ended.
public final class JobFilter {

    public List<JobState> states = List.of();
    public List<String> users = List.of();
    public List<String> accounts = List.of();
    public List<String> partitions = List.of();
    public List<String> qos = List.of();
    public List<String> names = List.of();

    /// Of jobs, arrays and tasks: `17`, `18_[1-3]`.
    public List<String> ids = List.of();

    /// How many jobs are read at a time, 1 to 100000.
    public int page = 1000;

    JobFilter() {}

    Query query() {
        return new Query("/v1/jobs")
                .with("state", states)
                .with("user", users)
                .with("account", accounts)
                .with("partition", partitions)
                .with("qos", qos)
                .with("name", names)
                .with("job", ids)
                .with("limit", List.of(page));
    }
}
