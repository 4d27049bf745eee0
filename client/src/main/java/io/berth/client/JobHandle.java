package io.berth.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A job, to ask or to control. What is asked of it stands in the log when a method returns, and
/// will happen; a job that has ended stays as it is.
public final class JobHandle {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final Requests requests;
    private final String path;

    JobHandle(Requests requests, String path) {
        this.requests = requests;
        this.path = path;
    }

    /// The job as it is; of an array the first task that is not over.
    public Job now() {
        return Job.of(requests.get(path));
    }

    /// Why it waits, its place in the queue, and the smallest changes that would start it.
    public JsonObject why() {
        return requests.get(path + "/why");
    }

    /// The job once it has ended.
    public Job untilOver() {
        while (true) {
            Optional<Job> job = untilOver(Duration.ofDays(1));
            if (job.isPresent()) {
                return job.get();
            }
        }
    }

    /// The job once it has ended, if it has by then.
    public Optional<Job> untilOver(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        Duration pause = FIRST_PAUSE;
        while (true) {
            Job job = now();
            if (job.over()) {
                return Optional.of(job);
            }
            if (System.nanoTime() + pause.toNanos() - deadline > 0) {
                return Optional.empty();
            }
            requests.pause(pause);
            pause = pause.multipliedBy(3).dividedBy(2);
            pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
        }
    }

    /// Ends it, or takes it out of the queue.
    public void cancel() {
        requests.send("DELETE", path, null, List.of());
    }

    /// Keeps it from starting.
    public void hold() {
        control("/hold");
    }

    /// Lets it wait for its turn again.
    public void release() {
        control("/release");
    }

    /// Ends its run, and lets it wait again.
    ///
    /// @param hold whether it is held then
    public void requeue(boolean hold) {
        control("/requeue?hold=" + hold);
    }

    /// Sends a signal.
    ///
    /// @param signal by name or number: `USR1`
    /// @param target what the script started (`steps`), the script (`batch`), or `all`
    public void signal(String signal, String target) {
        control(
                new Query("/signal")
                        .with("signal", List.of(signal))
                        .with("target", List.of(target))
                        .toString());
    }

    /// Changes it.
    ///
    /// @param changes the fields of `POST /v1/jobs/{id}`, such as `timeLimitSeconds`
    public void update(Map<String, ? extends @Nullable Object> changes) {
        requests.send("POST", path, JsonText.compact(changes), List.of());
    }

    private void control(String action) {
        requests.send("POST", path + action, null, List.of());
    }
}
