package io.berth.client;

import io.berth.slurm.JobSubmission;
import io.berth.slurm.SubmissionDraft;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/// A mesh, seen by the one whose token it is.
///
/// ```java
/// try (Berth mesh = Berth.here()) {
///     Job job = mesh.submit(it -> { it.script = "#!/bin/sh\nnvidia-smi -L\n"; it.gpus = 2; });
///     System.out.println(mesh.job(job.id()).untilOver().exitStatus());
/// }
/// ```
///
/// A request without a certain answer is repeated for 30 seconds if it may be done twice; a
/// submission may, as it carries an idempotency key. Every method may throw [BerthException]: the
/// mesh refused, or [BerthException.NotAnswered] if it did not answer, or the thread was
/// interrupted. What one has written shows in the next question of the same client, unless another
/// thread was answered in between: several may use one client.
public final class Berth implements AutoCloseable {

    static final String KEY = "Idempotency-Key";

    /// How long an answer may take.
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Requests requests;

    private Berth(Requests requests) {
        this.requests = requests;
    }

    /// The mesh and the token that the commands would use: `BERTH_URL` and `BERTH_TOKEN`, else what
    /// `berth up` wrote to `$BERTH_HOME`. The machine's token socket is not asked.
    ///
    /// @throws IllegalStateException if there is no token, or if others could read it on its way
    public static Berth here() {
        return at(Surroundings.ofProcess());
    }

    static Berth at(Surroundings here) {
        Mesh mesh = Mesh.of(here);
        String token = here.token().orElseThrow(() -> new IllegalStateException(here.noToken()));
        if (mesh.gatewayIsPlain() && here.variable("BERTH_PLAIN_HTTP", "").isEmpty()) {
            throw new IllegalStateException(Mesh.refusal(mesh.gateway()));
        }
        return new Berth(new Requests(mesh.gateway(), token, TIMEOUT, PATIENCE));
    }

    /// The mesh with this gateway, such as `https://mesh.example:7600`.
    ///
    /// @param patience how long a request without a certain answer is repeated
    public static Berth at(String gateway, String token, Duration patience) {
        return new Berth(new Requests(Mesh.trimmed(gateway), token, TIMEOUT, patience));
    }

    /// Submits a job. When this returns, it will not be lost.
    public Job submit(Consumer<SubmissionDraft> asked) {
        return submit(JobSubmission.of(asked), UUID.randomUUID().toString());
    }

    /// Submits a job under a key of the caller's: the same key with the same job is the same job
    /// for 24 hours.
    public Job submit(JobSubmission job, String key) {
        return Job.of(requests.send("POST", "/v1/jobs", SubmissionJson.of(job), List.of(KEY, key)));
    }

    /// Submits up to 10,000 jobs in one request; each is accepted or refused on its own.
    ///
    /// @return what became of each, in their order
    public List<Submitted> submitAll(List<JobSubmission> jobs) {
        return submitAll(jobs, UUID.randomUUID().toString());
    }

    /// Submits up to 10,000 jobs under a key of the caller's: asked again with the same key, those
    /// that there are stay, and those that are missing are made, for 24 hours.
    public List<Submitted> submitAll(List<JobSubmission> jobs, String key) {
        if (jobs.isEmpty()) {
            return List.of();
        }
        String lines = jobs.stream().map(SubmissionJson::of).collect(Collectors.joining("\n"));
        return requests.sendLines("/v1/jobs/bulk", lines, List.of(KEY, key)).stream()
                .map(Submitted::of)
                .toList();
    }

    /// One job, to ask or to control; nothing is sent yet.
    public JobHandle job(long id) {
        return job(Long.toString(id));
    }

    /// A job, or tasks of an array, by name: `17`, `17_4`, `17_[1-3]`, `17+1`.
    public JobHandle job(String name) {
        return new JobHandle(
                requests, "/v1/jobs/" + URLEncoder.encode(name, StandardCharsets.UTF_8));
    }

    /// The jobs that the filter admits, by ascending id, read page by page as the stream is
    /// consumed.
    public Stream<Job> jobs(Consumer<JobFilter> asked) {
        var filter = new JobFilter();
        asked.accept(filter);
        return StreamSupport.stream(
                Spliterators.spliteratorUnknownSize(
                        new Pages(filter.query().toString()),
                        Spliterator.ORDERED | Spliterator.NONNULL),
                false);
    }

    /// The events of jobs from now on, or from where the filter says.
    public Events events(Consumer<EventFilter> asked) {
        var filter = new EventFilter();
        asked.accept(filter);
        return new Events(requests, filter.path(), filter.after);
    }

    /// All nodes, with what jobs hold on them, as `GET /v1/nodes` tells them.
    public List<JsonObject> nodes() {
        return requests.get("/v1/nodes").objects("nodes");
    }

    public List<JsonObject> partitions() {
        return requests.get("/v1/partitions").objects("partitions");
    }

    @Override
    public String toString() {
        return "Berth[" + requests.gateway() + "]";
    }

    /// Ends what is under way; those who wait for it are told [BerthException.NotAnswered].
    @Override
    public void close() {
        requests.close();
    }

    /// The jobs of a list that the gateway cuts into pages.
    private final class Pages implements Iterator<Job> {
        private final String query;
        private final ArrayDeque<Job> page = new ArrayDeque<>();
        private @Nullable String next;
        private boolean asked;

        Pages(String query) {
            this.query = query;
        }

        @Override
        public boolean hasNext() {
            while (page.isEmpty() && (!asked || next != null)) {
                JsonObject answer = requests.get(next == null ? query : query + "&cursor=" + next);
                answer.objects("jobs").forEach(it -> page.add(Job.of(it)));
                next = answer.has("next") ? answer.text("next") : null;
                asked = true;
            }
            return !page.isEmpty();
        }

        @Override
        public Job next() {
            if (!hasNext()) {
                throw new NoSuchElementException("the list has ended");
            }
            return page.remove();
        }
    }
}
