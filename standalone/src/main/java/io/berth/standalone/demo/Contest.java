package io.berth.standalone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.berth.standalone.demo.Entry.RunEntry;
import io.berth.standalone.mesh.Identity;
import io.berth.standalone.mesh.MeshClient;
import io.berth.standalone.mesh.Ports;
import io.berth.standalone.mesh.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// The contest of the demo: who submits what when, what the queue looks like, and what came of it.
final class Contest {

    private static final int GPUS = 8;
    private static final Duration LIMIT = Duration.ofSeconds(70);
    private static final Map<String, Character> PENS =
            Map.of("alice", '-', "bob", '#', "carol", '~', "dave", '+');

    private final Ports ports;
    private final Identity identity;
    private final Path workingDirectory;
    private final PrintStream out;
    private final MeshClient watcher;
    private final long deadline = System.nanoTime() + LIMIT.toNanos();
    private final Map<Long, JsonNode> jobs = new HashMap<>();

    /// The jobs as they were when they last waited.
    private final Map<Long, JsonNode> waiting = new HashMap<>();

    Contest(Ports ports, Identity identity, Path workingDirectory, PrintStream out) {
        this.ports = ports;
        this.identity = identity;
        this.workingDirectory = workingDirectory;
        this.out = out;
        this.watcher = client("demo", Identity.OPERATOR);
    }

    /// Plays it until all jobs have ended.
    void play() throws IOException {
        submit(Wave.ALICE);
        await(job -> job.path("state").asText().equals("RUNNING"), GPUS);
        submit(Wave.BOB);
        submit(Wave.CAROL);
        await(Contest::isConsidered, jobs.size());
        showQueue("The queue, with alice's scripts on the GPUs", Wave.ALICE, Wave.BOB, Wave.CAROL);
        await(job -> isRunning(job, "bob"), 1);
        submit(Wave.DAVE);
        await(Contest::isConsidered, jobs.size());
        showQueue("The queue, with bob's job on all GPUs", Wave.ALICE, Wave.DAVE);
        await(job -> job.has("endedAt"), jobs.size());
    }

    /// The accounting of all jobs, once it has their ends.
    List<Entry> awaitBooked(MeshClient operator) throws IOException {
        while (true) {
            List<Entry> entries = Entry.of(operator.accounting("/v1/accounting/jobs"));
            boolean booked =
                    entries.size() == jobs.size()
                            && entries.stream().noneMatch(entry -> entry.runs().isEmpty())
                            && entries.stream()
                                    .flatMap(entry -> entry.runs().stream())
                                    .allMatch(run -> run.freedAt() > 0);
            if (booked) {
                return entries.stream().sorted(Comparator.comparingLong(Entry::id)).toList();
            }
            pause("the accounting of " + jobs.size() + " jobs; it has " + entries);
        }
    }

    /// Shows who ran when and why.
    void tell(List<Entry> entries) {
        Map<Long, List<Integer>> held = new HashMap<>();
        jobs.forEach((id, job) -> held.put(id, gpus(job)));
        out.println(
                "\nWho ran when: a job's number, drawn on with - alice, # bob, ~ carol, + dave");
        out.print(new Timeline(GPUS, held, PENS).draw(entries));
        var table =
                new Table(
                        "JOB",
                        "USER",
                        "NAME",
                        "GPUS",
                        "PRIORITY",
                        "SUBMITTED",
                        "WAITED",
                        "RAN",
                        "OVERTOOK",
                        "WAITED FOR");
        long from = entries.stream().mapToLong(Entry::submittedAt).min().orElse(0);
        for (Entry entry : entries) {
            JsonNode waited = waiting.getOrDefault(entry.id(), MissingNode.getInstance());
            RunEntry run = entry.runs().getFirst();
            table.row(
                    Long.toString(entry.id()),
                    entry.user(),
                    entry.name(),
                    Long.toString(entry.gpus()),
                    waited.path("priority").asText(),
                    seconds(entry.submittedAt() - from),
                    seconds(run.placedAt() - entry.submittedAt()),
                    seconds(run.heldMillis()),
                    overtaken(entry, entries),
                    waited.path("reason").asText());
        }
        out.print("\n" + table);
        out.println(
                """
                Priority decides: who used less than his share comes first, whenever he came. A job
                that waits for Resources is next and gets what it needs as it comes free; one that
                waits for Priority comes after another.\
                """);
    }

    /// The jobs that came before this one and started after it.
    private static String overtaken(Entry entry, List<Entry> entries) {
        long count =
                entries.stream()
                        .filter(other -> other.id() < entry.id())
                        .filter(other -> other.placedAt() > entry.placedAt())
                        .count();
        return count == 0 ? "" : count + (count == 1 ? " job" : " jobs");
    }

    private void submit(Wave wave) throws IOException {
        MeshClient user = client(wave.user(), Identity.USER);
        var ids = new ArrayList<Long>();
        for (Map<String, Object> submission : wave.submissions(workingDirectory.toString())) {
            JsonNode job = user.submit(submission);
            ids.add(job.path("id").asLong());
            jobs.put(ids.getLast(), job);
        }
        out.printf(
                "%s: job%s%n",
                wave,
                ids.size() == 1
                        ? " " + ids.getFirst()
                        : "s " + ids.getFirst() + " to " + ids.getLast());
    }

    private void showQueue(String title, Wave... explained) throws IOException {
        var table = new Table("JOB", "USER", "NAME", "GPUS", "STATE", "PRIORITY", "REASON");
        List<JsonNode> queue =
                jobs.values().stream()
                        .filter(job -> !job.has("endedAt"))
                        .sorted(
                                Comparator.comparing((JsonNode job) -> isPending(job))
                                        .thenComparing(job -> -job.path("priority").asLong())
                                        .thenComparing(job -> job.path("id").asLong()))
                        .toList();
        for (JsonNode job : queue) {
            table.row(
                    job.path("id").asText(),
                    job.path("user").asText(),
                    job.path("name").asText(),
                    job.path("gpus").asText(),
                    job.path("state").asText(),
                    job.path("priority").asText(),
                    isPending(job) ? job.path("reason").asText() : "");
        }
        out.printf("%n%s%n%s%n", title, table);
        for (Wave wave : explained) {
            explainFirst(wave.user(), queue);
        }
        out.println();
    }

    /// Asks why the user's first waiting job waits, as `berth why` does.
    private void explainFirst(String user, List<JsonNode> queue) throws IOException {
        for (JsonNode job : queue) {
            if (isPending(job) && job.path("user").asText().equals(user)) {
                String id = job.path("id").asText();
                JsonNode why = watcher.get("/v1/jobs/" + id + "/why");
                out.printf("why %s (%s): %s%n", id, user, why.path("explanation").asText());
                return;
            }
        }
    }

    private void await(Predicate<JsonNode> condition, int count) throws IOException {
        while (true) {
            watch();
            if (jobs.values().stream().filter(condition).count() >= count) {
                return;
            }
            pause("%d jobs, at %s".formatted(count, jobs.values()));
        }
    }

    private void watch() throws IOException {
        String ids = String.join(",", jobs.keySet().stream().map(String::valueOf).toList());
        for (JsonNode job : watcher.get("/v1/jobs?job=" + ids).path("jobs")) {
            jobs.put(job.path("id").asLong(), job);
            if (isPending(job)) {
                waiting.put(job.path("id").asLong(), job);
            }
        }
    }

    private void pause(String awaited) throws IOException {
        if (System.nanoTime() > deadline) {
            throw new IOException("no end within " + LIMIT + " of waiting for " + awaited);
        }
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private MeshClient client(String user, String group) {
        return new MeshClient(ports, identity.token(user, group));
    }

    /// Whether the job runs, has run, or is told what it waits for.
    private static boolean isConsidered(JsonNode job) {
        return !isPending(job) || !job.path("reason").asText().equals("None");
    }

    private static boolean isPending(JsonNode job) {
        return job.path("state").asText().equals("PENDING");
    }

    private static boolean isRunning(JsonNode job, String user) {
        return job.path("user").asText().equals(user)
                && job.path("state").asText().equals("RUNNING");
    }

    /// The numbers in `0-2,5` of the job's only node.
    private static List<Integer> gpus(JsonNode job) {
        var numbers = new ArrayList<Integer>();
        for (String range : job.at("/allocations/0/gpuIndices").asText().split(",")) {
            String[] ends = range.split("-");
            if (!ends[0].isEmpty()) {
                int last = Integer.parseInt(ends[ends.length - 1]);
                for (int number = Integer.parseInt(ends[0]); number <= last; number++) {
                    numbers.add(number);
                }
            }
        }
        return numbers;
    }

    private static String seconds(long millis) {
        return "%.1f s".formatted(millis / 1000.0);
    }
}
