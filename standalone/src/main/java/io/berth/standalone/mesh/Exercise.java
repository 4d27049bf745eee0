package io.berth.standalone.mesh;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// What a [TrainingMesh] is asked to do: submissions one by one and in bulk, jobs that run to their
/// end, questions, changes and cancellations, so many that the JVMs compile what they need for them
/// by the second tier.
///
/// @param client the operator
/// @param folder in which jobs run
record Exercise(MeshClient client, String folder) {

    private static final int SUBMISSIONS = 4_000;
    private static final int AT_ONCE = 16;
    private static final int BULKS = 2;
    private static final int JOBS_IN_BULK = 5_000;
    private static final int RUNNING = 1_000;
    private static final int QUESTIONS = 50;
    private static final long LOOK_MILLIS = 500;

    void run() throws IOException, InterruptedException {
        List<Long> held = submitOneByOne();
        for (int i = 0; i < BULKS; i++) {
            client.post("/v1/jobs/bulk", "application/x-ndjson", lines());
        }
        client.submit(job("runs", Map.of("array", "0-" + (RUNNING - 1))));
        do {
            Thread.sleep(LOOK_MILLIS);
        } while (!client.get("/v1/jobs?name=runs&limit=10").path("jobs").isEmpty());
        for (long job : held.subList(0, QUESTIONS)) {
            client.get("/v1/jobs?limit=1000&state=all");
            client.get("/v1/jobs/" + job + "/why");
            client.accounting("/v1/accounting/jobs?limit=100");
            client.post("/v1/jobs/" + job, "application/json", json(Map.of("nice", 10)));
        }
        List<String> cancelled = held.subList(0, 1_000).stream().map(String::valueOf).toList();
        client.post("/v1/jobs/cancel", "application/json", json(Map.of("jobs", cancelled)));
        client.accounting("/v1/accounting/usage");
    }

    private List<Long> submitOneByOne() throws IOException, InterruptedException {
        var held = new ArrayList<Long>();
        try (ExecutorService senders = Executors.newFixedThreadPool(AT_ONCE)) {
            var answers = new ArrayList<Future<Long>>();
            for (int i = 0; i < SUBMISSIONS; i++) {
                answers.add(
                        senders.submit(() ->
                                client.submit(job("held", Map.of("hold", true)))
                                        .path("id")
                                        .asLong()));
            }
            for (Future<Long> answer : answers) {
                held.add(answer.get());
            }
        } catch (ExecutionException e) {
            throw new IOException("a submission failed: " + e.getCause(), e);
        }
        return held;
    }

    private byte[] lines() throws JsonProcessingException {
        String line = Json.mapper().writeValueAsString(job("held", Map.of("hold", true))) + "\n";
        return line.repeat(JOBS_IN_BULK).getBytes(UTF_8);
    }

    private Map<String, Object> job(String name, Map<String, Object> terms) {
        return Map.of(
                "name",
                name,
                "script",
                "#!/bin/sh\ntrue\n",
                "workingDirectory",
                folder,
                "standardOutput",
                "/dev/null",
                "timeLimitSeconds",
                60,
                "terms",
                terms);
    }

    private static byte[] json(Map<String, Object> body) throws JsonProcessingException {
        return Json.mapper().writeValueAsBytes(body);
    }
}
