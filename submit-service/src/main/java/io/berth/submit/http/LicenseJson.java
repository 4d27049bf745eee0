package io.berth.submit.http;

import io.berth.contracts.config.Configuration;
import io.berth.submit.Job;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/// A license as it is answered.
///
/// @param used held by jobs that run
@Schema(name = "License")
public record LicenseJson(String name, int total, int used, int free) {

    /// All of the cluster's.
    public static List<LicenseJson> all(Configuration configuration, Stream<Job> jobs) {
        var used = new TreeMap<String, Integer>();
        jobs.filter(job -> !job.held().isEmpty())
                .forEach(job ->
                        job.description()
                                .request()
                                .licensesHeld()
                                .forEach((name, count) -> used.merge(name, count, Integer::sum)));
        return configuration.licenses().values().stream()
                .map(it -> of(it.name(), it.count(), used.getOrDefault(it.name(), 0)))
                .toList();
    }

    private static LicenseJson of(String name, int total, int used) {
        return new LicenseJson(name, total, used, Math.max(0, total - used));
    }
}
