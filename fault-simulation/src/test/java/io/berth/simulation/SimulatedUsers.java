package io.berth.simulation;

import static io.berth.simulation.SimulatedPlacement.SUBMISSIONS;

import io.berth.contracts.JobId;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// People at gateways that are models.
final class SimulatedUsers implements MeshUsers {

    static final int REQUESTS = 10;

    /// By how much the clock of a gateway is off at most, in milliseconds.
    static final long MOST_SKEW = 60_000;

    private final SimulatedLog log;
    private final Listener listener;
    private final LongSupplier clock;
    private final List<SimulatedGateway> gateways;
    private final List<Request> requests = new ArrayList<>();
    private final List<Submitted> delayed = new ArrayList<>();

    /// What somebody wants, until he knows of its job.
    private static final class Request {
        private final Wish wish;
        private @Nullable JobId acknowledged;

        Request(Wish wish) {
            this.wish = wish;
        }
    }

    /// @param clock that is right
    SimulatedUsers(SimulatedLog log, Listener listener, LongSupplier clock) {
        this.log = log;
        this.listener = listener;
        this.clock = clock;
        gateways = List.of(new SimulatedGateway(log), new SimulatedGateway(log));
    }

    @Override
    public int wanted() {
        return requests.stream().mapToInt(it -> it.wish.jobs()).sum();
    }

    @Override
    public List<JobId> acknowledged() {
        var known = new ArrayList<JobId>();
        for (Request request : requests) {
            if (request.acknowledged != null) {
                known.add(request.acknowledged);
            }
        }
        return known;
    }

    @Override
    public void request(RandomGenerator random) {
        if (requests.size() < REQUESTS) {
            var request = new Request(Wish.of(requests.size(), random));
            requests.add(request);
            attempt(request, random);
        }
    }

    @Override
    public void repeat(RandomGenerator random) {
        requests.stream()
                .filter(it -> it.acknowledged == null && it.wish.key() != null)
                .findFirst()
                .ifPresent(it -> attempt(it, random));
    }

    @Override
    public void calm(RandomGenerator random) {
        gateways.forEach(it -> it.cutOff(false));
        landAll(random);
        for (Request request : requests) {
            while (request.acknowledged == null && request.wish.key() != null) {
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

    @Override
    public void land(RandomGenerator random) {
        if (!delayed.isEmpty()) {
            Submitted submitted = delayed.remove(random.nextInt(delayed.size()));
            listener.tell("job ", submitted.job(), " lands in the log");
            write(submitted);
        }
    }

    @Override
    public void restartGateway(RandomGenerator random) {
        listener.tell("a gateway restarts");
        gateways.get(random.nextInt(2)).restart();
    }

    @Override
    public void cutOffGateway(boolean now, RandomGenerator random) {
        int which = random.nextInt(2);
        listener.tell("gateway ", which, now ? " is cut off" : " is connected");
        gateways.get(which).cutOff(now);
    }

    @Override
    public void skewGateway(RandomGenerator random) {
        gateways.get(random.nextInt(2)).skew(random.nextLong(-MOST_SKEW, MOST_SKEW));
    }

    @Override
    public void ask(Submission request, RandomGenerator random) {
        write(request);
    }

    @Override
    public void goOn(RandomGenerator random) {}

    @Override
    public boolean answered() {
        return true;
    }

    @Override
    public void check() {}

    @Override
    public void checkEnd(MeshAuditor auditor, CellState state) {}

    @Override
    public void die() {}

    /// One attempt at one of the gateways: it may answer, die before it does, leave a record on its
    /// way that lands later, or not reach the log.
    private void attempt(Request request, RandomGenerator random) {
        SimulatedGateway gateway = gateways.get(random.nextInt(2));
        if (!gateway.connected()) {
            return;
        }
        Submitted submitted =
                gateway.submitted(
                        request.wish.at(gateway.clock(clock.getAsLong())),
                        request.wish.components(),
                        request.wish.key());
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

    private void write(Submission submission) {
        log.append(SUBMISSIONS, submission.job().toString(), submission);
    }
}
