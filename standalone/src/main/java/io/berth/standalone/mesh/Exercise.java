package io.berth.standalone.mesh;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What a [TrainingMesh] is asked to do: jobs one by one and as an array, questions, changes and
/// cancellations.
///
/// @param client the operator
/// @param folder in which jobs run
record Exercise(MeshClient client, String folder) {

    private static final int ONE_BY_ONE = 30;
    private static final int TASKS = 200;
    private static final int QUESTIONS = 10;
    private static final long LOOK_MILLIS = 50;
    private static final Duration LIMIT = Duration.ofMinutes(5);

    void run() throws IOException, InterruptedException {
        for (int i = 0; i < ONE_BY_ONE; i++) {
            client.submit(job("single", Map.of("gpusPerNode", 1)));
            awaitEnded("single");
        }
        client.submit(job("tasks", terms(Map.of("array", "0-" + (TASKS - 1)))));
        awaitEnded("tasks");
        for (int i = 0; i < QUESTIONS; i++) {
            long held = client.submit(job("held", terms(Map.of("hold", true)))).path("id").asLong();
            client.get("/v1/jobs?limit=100&state=all");
            client.get("/v1/jobs/" + held + "/why");
            client.accounting("/v1/accounting/jobs?limit=100");
            client.post("/v1/jobs/" + held, Map.of("nice", 10));
            client.post("/v1/jobs/cancel", Map.of("jobs", List.of(String.valueOf(held))));
        }
        client.accounting("/v1/accounting/usage");
    }

    /// @throws IOException if it takes so long that something must be wrong
    private void awaitEnded(String name) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        do {
            if (System.nanoTime() > deadline) {
                throw new IOException("jobs of the training do not end within " + LIMIT);
            }
            Thread.sleep(LOOK_MILLIS);
        } while (!client.get("/v1/jobs?name=" + name + "&limit=1").path("jobs").isEmpty());
    }

    private static Map<String, Object> terms(Map<String, Object> terms) {
        return Map.of("terms", terms);
    }

    private Map<String, Object> job(String name, Map<String, Object> more) {
        var job = new HashMap<>(more);
        job.put("name", name);
        job.put("script", "#!/bin/sh\ntrue\n");
        job.put("workingDirectory", folder);
        job.put("standardOutput", folder + "/out");
        job.put("timeLimitSeconds", 60);
        return job;
    }
}
