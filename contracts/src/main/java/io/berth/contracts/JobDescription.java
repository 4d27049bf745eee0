package io.berth.contracts;

/// What a job is, as far as ranking, placement and the books need to know. It holds no script and
/// no environment: it may be published.
///
/// @param timeLimitSeconds limit of the run time; 0 is unlimited
/// @param nice subtracted from the job's priority, in points
/// @param requeue whether the job may start again after its nodes failed it
public record JobDescription(
        String user,
        String account,
        String partition,
        String qos,
        String name,
        ResourceRequest request,
        LaunchMode launch,
        long timeLimitSeconds,
        int nice,
        boolean requeue) {}
