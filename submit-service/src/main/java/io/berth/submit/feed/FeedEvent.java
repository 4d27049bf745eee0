package io.berth.submit.feed;

import io.berth.contracts.JobId;
import org.jspecify.annotations.Nullable;

/// A public event of a job, as it stands in the log.
///
/// @param type its simple name, such as `Started`
/// @param user the job's, where the event itself says it, as `account`
/// @param json the event, one line
/// @param writtenAt when the log took it, epoch milliseconds
public record FeedEvent(
        int cell,
        long offset,
        String type,
        JobId job,
        @Nullable String user,
        @Nullable String account,
        String json,
        long writtenAt) {}
