package io.berth.contracts;

/// How long jobs stay known after their end: the last `count` of them for `maxAgeSeconds`, those
/// before them for `minAgeSeconds`.
public record EndedJobs(int count, long minAgeSeconds, long maxAgeSeconds) {

    public static final EndedJobs DEFAULT = new EndedJobs(10_000, 300, 86_400);
}
