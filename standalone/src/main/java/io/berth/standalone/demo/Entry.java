package io.berth.standalone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/// A job as the books have it. Times are epoch milliseconds.
record Entry(
        long id,
        String name,
        String user,
        String account,
        String state,
        long gpus,
        long cpus,
        long submittedAt,
        List<RunEntry> runs,
        long gpuMillis,
        long billingMicros) {

    /// One run of the job.
    record RunEntry(int lease, long placedAt, long freedAt, long gpuMillis, long cpuMillis) {

        long heldMillis() {
            return freedAt - placedAt;
        }
    }

    Entry {
        runs = List.copyOf(runs);
    }

    /// When the first run got its GPUs.
    long placedAt() {
        return runs.getFirst().placedAt();
    }

    static List<Entry> of(JsonNode jobs) {
        var entries = new ArrayList<Entry>();
        jobs.path("jobs").forEach(job -> entries.add(entry(job)));
        return entries;
    }

    private static Entry entry(JsonNode job) {
        var runs = new ArrayList<RunEntry>();
        for (JsonNode run : job.path("runs")) {
            runs.add(
                    new RunEntry(
                            run.path("lease").asInt(),
                            run.path("placedAt").asLong(),
                            run.path("freedAt").asLong(),
                            run.path("charge").path("gpuMillis").asLong(),
                            run.path("charge").path("cpuMillis").asLong()));
        }
        return new Entry(
                job.path("id").asLong(),
                job.path("name").asText(),
                job.path("user").asText(),
                job.path("account").asText(),
                job.path("state").asText(),
                job.path("gpus").asLong(),
                job.path("cpus").asLong(),
                job.path("submittedAt").asLong(),
                runs,
                job.path("charge").path("gpuMillis").asLong(),
                job.path("charge").path("billingMicros").asLong());
    }
}
