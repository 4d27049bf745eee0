package io.berth.simulation;

import static io.berth.simulation.SimulatedPlacement.SUBMISSIONS;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.core.testing.TestCell;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// People who submit jobs at two gateways, and ask again when they have no answer, if their request
/// has a key.
final class SimulatedUsers {

    private static final int REQUESTS = 10;

    /// By how much the clock of a gateway is off at most, in milliseconds.
    private static final long MOST_SKEW = 60_000;

    /// Who is told what happens.
    interface Listener {
        void tell(Object... words);
    }

    private final SimulatedLog log;
    private final Listener listener;
    private final LongSupplier clock;
    private final List<SimulatedGateway> gateways;
    private final List<Request> requests = new ArrayList<>();
    private final List<Submitted> delayed = new ArrayList<>();

    /// What somebody wants, until he knows of its job.
    private static final class Request {
        private final JobDescription description;
        private final List<JobDescription> components;
        private final @Nullable String key;
        private final long delayMillis;
        private @Nullable JobId acknowledged;

        /// @param delayMillis `--begin=now+…`
        Request(
                JobDescription description,
                List<JobDescription> components,
                @Nullable String key,
                long delayMillis) {
            this.description = description;
            this.components = components;
            this.key = key;
            this.delayMillis = delayMillis;
        }

        /// What is asked for, by a gateway whose clock shows that time.
        JobDescription at(long now) {
            return delayMillis == 0
                    ? description
                    : description.on(
                            description.conditions().with(to -> to.beginAt = now + delayMillis));
        }
    }

    /// @param clock that is right
    SimulatedUsers(SimulatedLog log, Listener listener, LongSupplier clock) {
        this.log = log;
        this.listener = listener;
        this.clock = clock;
        gateways = List.of(new SimulatedGateway(log), new SimulatedGateway(log));
    }

    /// How many jobs they wanted.
    int wanted() {
        return requests.stream().mapToInt(it -> 1 + it.components.size()).sum();
    }

    /// The jobs that somebody knows to be accepted.
    List<JobId> acknowledged() {
        var known = new ArrayList<JobId>();
        for (Request request : requests) {
            if (request.acknowledged != null) {
                known.add(request.acknowledged);
            }
        }
        return known;
    }

    /// Somebody wants a job.
    void request(RandomGenerator random) {
        if (requests.size() == REQUESTS) {
            return;
        }
        JobDescription description = description(random);
        // Every third is a heterogeneous job of two components.
        List<JobDescription> components =
                requests.size() % 3 == 1
                        ? List.of(description.with(TestCell.gpus(1, 1, null)))
                        : List.of();
        String key = random.nextInt(4) == 0 ? null : "key-" + requests.size();
        long delay = components.isEmpty() && random.nextInt(6) == 0 ? random.nextInt(30_000) : 0;
        var request = new Request(description, components, key, delay);
        requests.add(request);
        attempt(request, random);
    }

    private static JobDescription description(RandomGenerator random) {
        int gang = random.nextInt(4) == 0 ? 2 : 1;
        var wanted =
                new ResourceRequest(
                        gang,
                        gang * (1 + random.nextInt(2)),
                        1 + random.nextInt(2),
                        MemoryRequest.perCpu(1024),
                        new GpuRequest(random.nextInt(5), null));
        return new JobDescription(
                random.nextBoolean() ? "alice" : "bob",
                "team",
                "batch",
                "normal",
                "job",
                wanted,
                random.nextBoolean() ? LaunchMode.BATCH : LaunchMode.PER_NODE,
                600,
                0,
                random.nextInt(4) != 0);
    }

    /// Somebody without an answer asks again.
    void repeat(RandomGenerator random) {
        requests.stream()
                .filter(it -> it.acknowledged == null && it.key != null)
                .findFirst()
                .ifPresent(it -> attempt(it, random));
    }

    /// What was on its way comes, and everybody asks until he has an answer.
    void insist(RandomGenerator random) {
        landAll(random);
        for (Request request : requests) {
            while (request.acknowledged == null && request.key != null) {
                attempt(request, random);
                landAll(random);
            }
        }
    }

    private void landAll(RandomGenerator random) {
        while (!delayed.isEmpty()) {
            land(random);
        }
    }

    /// A record that was on its way comes.
    void land(RandomGenerator random) {
        if (!delayed.isEmpty()) {
            Submitted submitted = delayed.remove(random.nextInt(delayed.size()));
            listener.tell("job ", submitted.job(), " lands in the log");
            write(submitted);
        }
    }

    void restartGateway(RandomGenerator random) {
        listener.tell("a gateway restarts");
        gateways.get(random.nextInt(2)).restart();
    }

    /// From now on one of the gateways cannot reach the log, or can again.
    void cutOffGateway(boolean now, RandomGenerator random) {
        int which = random.nextInt(2);
        listener.tell("gateway ", which, now ? " is cut off" : " is connected");
        gateways.get(which).cutOff(now);
    }

    /// The clock of one of the gateways goes wrong, by less than a minute.
    void skewGateway(RandomGenerator random) {
        gateways.get(random.nextInt(2)).skew(random.nextLong(-MOST_SKEW, MOST_SKEW));
    }

    void connect() {
        gateways.forEach(it -> it.cutOff(false));
    }

    /// One attempt at one of the gateways: it may answer, die before it does, leave a record on its
    /// way that lands later, or not reach the log.
    private void attempt(Request request, RandomGenerator random) {
        SimulatedGateway gateway = gateways.get(random.nextInt(2));
        if (!gateway.connected()) {
            return;
        }
        Submitted submitted =
                gateway.submitted(
                        request.at(gateway.clock(clock.getAsLong())),
                        request.components,
                        request.key);
        switch (random.nextInt(6)) {
            case 0 -> {
                listener.tell("job ", submitted.job(), " is on its way into the log");
                delayed.add(submitted);
            }
            case 1 -> {
                listener.tell("job ", submitted.job(), " is written, its gateway dies");
                write(submitted);
                gateway.restart();
            }
            default -> {
                write(submitted);
                request.acknowledged = gateway.job(submitted);
                listener.tell("job ", submitted.job(), " is accepted as ", request.acknowledged);
            }
        }
    }

    private void write(Submitted submitted) {
        log.append(SUBMISSIONS, submitted.job().toString(), submitted);
    }
}
