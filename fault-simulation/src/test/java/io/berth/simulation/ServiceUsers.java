package io.berth.simulation;

import static io.berth.simulation.SimulatedPlacement.SUBMISSIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.Amendment;
import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Submission.Amended;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.core.state.CellState;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Caller;
import io.berth.submit.Job;
import io.berth.submit.JobName;
import io.berth.submit.Position;
import io.berth.submit.Refusal;
import io.berth.submit.Refused;
import io.berth.submit.Unavailable;
import io.berth.submit.http.Gateway;
import io.berth.submit.http.GatewayRequests;
import io.berth.submit.http.GatewayRequests.Line;
import io.berth.submit.kafka.GatewayService;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// People at gateways that are the service itself. They also ask for something else with the same
/// key, at two gateways at once, and while they wait; and they look whether their jobs are there.
final class ServiceUsers implements MeshUsers {

    private static final Caller ROOT = caller("root", AdminLevel.ADMIN);
    private static final int MOST_LINES = 3;
    private static final JobName NONE = new JobName(new JobId(1_000_000));

    private final SimulatedLog log;
    private final SubmissionLaws laws;
    private final Listener listener;
    private final RandomGenerator random;
    private final List<ServiceGateway> gateways;
    private final List<Request> requests = new ArrayList<>();

    /// As which jobs were seen that were then changed for that.
    private final Set<Seen> changed = new HashSet<>();

    /// That were given to jobs.
    private int names;

    /// What somebody wants, until he knows of its job, or that its key stands for another.
    private static final class Request {
        private final Wish wish;
        private final Caller caller;
        private final @Nullable String key;

        /// Those that he asks for at once, in this order; empty if it is asked for by itself.
        private final List<Request> bulk;

        private @Nullable JobId accepted;

        /// Where he knows it to stand.
        private @Nullable Position below;

        private boolean refused;

        Request(Wish wish, Caller caller, @Nullable String key, List<Request> bulk) {
            this.wish = wish;
            this.caller = caller;
            this.key = key;
            this.bulk = bulk;
        }

        boolean unanswered() {
            return accepted == null && !refused && key != null;
        }

        boolean by(Submitted submission) {
            IdempotencyKey its = submission.key();
            return its != null && its.key().equals(key);
        }
    }

    /// A job as somebody saw it at a gateway.
    private record Seen(GatewayService at, JobId job, String tag) {}

    private static Caller caller(String user, AdminLevel level) {
        return new Caller(user, level, "login");
    }

    ServiceUsers(SimulatedLog log, Listener listener, RandomGenerator random, LongSupplier right) {
        this.log = log;
        this.laws = new SubmissionLaws(log);
        this.listener = listener;
        this.random = random;
        gateways =
                List.of(
                        new ServiceGateway(log, random, right),
                        new ServiceGateway(log, random, right));
    }

    @Override
    public int wanted() {
        return requests.stream().mapToInt(it -> it.wish.jobs()).sum();
    }

    @Override
    public List<JobId> acknowledged() {
        return requests.stream().map(it -> it.accepted).filter(Objects::nonNull).toList();
    }

    @Override
    public void request(RandomGenerator random) {
        if (requests.size() <= SimulatedUsers.REQUESTS - MOST_LINES && random.nextInt(3) == 0) {
            requestMany(2 + random.nextInt(MOST_LINES - 1));
        } else if (requests.size() < SimulatedUsers.REQUESTS) {
            var wish = Wish.of(requests.size(), random);
            Caller caller = caller(wish.description().user(), AdminLevel.NONE);
            var request = new Request(wish, caller, wish.key(), List.of());
            requests.add(request);
            send(request);
        }
    }

    private void requestMany(int lines) {
        String key = random.nextInt(4) == 0 ? null : "bulk-" + requests.size();
        Caller caller = caller("alice", AdminLevel.NONE);
        var bulk = new ArrayList<Request>();
        for (int line = 1; line <= lines; line++) {
            var wish = Wish.of(requests.size(), random);
            var request = new Request(wish, caller, key == null ? null : key + "/" + line, bulk);
            bulk.add(request);
            requests.add(request);
        }
        send(bulk.getFirst());
    }

    @Override
    public void repeat(RandomGenerator random) {
        List<Request> unanswered = requests.stream().filter(Request::unanswered).toList();
        if (!unanswered.isEmpty()) {
            send(unanswered.get(random.nextInt(unanswered.size())));
        }
        look();
    }

    private ServiceGateway any() {
        return gateways.get(random.nextInt(gateways.size()));
    }

    /// To one gateway or to both; with a key now and then as another request.
    private void send(Request request) {
        boolean key = request.key != null;
        List<ServiceGateway> to = key && random.nextInt(4) == 0 ? gateways : List.of(any());
        for (ServiceGateway gateway : to) {
            String name = key && random.nextInt(8) == 0 ? "other" : "job";
            if (request.bulk.isEmpty()) {
                gateway.ask(service -> submit(request, name, service));
            } else {
                gateway.ask(service -> submitAll(request.bulk, name, service));
            }
        }
    }

    private void submit(Request request, String name, GatewayService at) {
        JobSubmission same = request.wish.submission(null, name);
        IdempotencyKey key = Gateway.key(request.key, same);
        long delay = request.wish.delayMillis();
        JobSubmission asked =
                delay == 0 ? same : request.wish.submission(at.clocks().millis() + delay, name);
        try {
            Job job = at.gateway().submit(asked, request.caller, key);
            accepted(request, key, job.id());
            request.below = Position.after(job);
        } catch (Refused e) {
            assertThat(e.refusal()).isInstanceOf(Refusal.KeyReused.class);
            refused(request, key);
        } catch (Unavailable e) {
            listener.tell("whether a job is accepted is not known: ", e);
        }
    }

    private void accepted(Request request, @Nullable IdempotencyKey key, JobId job) {
        listener.tell("job ", job, " is accepted");
        Submitted stands = laws.first(it -> key == null ? it.job().equals(job) : request.by(it));
        assertThat(stands.job()).as("job of key %s", key).isEqualTo(job);
        assertThat(stands.key()).as("key of job %s", job).isEqualTo(key);
        request.accepted = job;
    }

    private void refused(Request request, @Nullable IdempotencyKey key) {
        listener.tell("key ", String.valueOf(request.key), " stands for another request");
        assertThat(laws.first(request::by).key()).as("the first with the key").isNotEqualTo(key);
        request.refused = true;
    }

    /// @param name of the last job, which is another one now and then
    private void submitAll(List<Request> bulk, String name, GatewayService at) {
        var asked = new ArrayList<JobSubmission>();
        for (Request request : bulk) {
            String its = request == bulk.getLast() ? name : "job";
            asked.add(request.wish.submission(null, its));
        }
        String key = bulk.getFirst().key;
        String whole = key == null ? null : key.substring(0, key.indexOf('/'));
        try {
            List<Line> lines = at.requests().submit(asked, bulk.getFirst().caller, whole);
            assertThat(lines).hasSameSizeAs(bulk);
            for (int i = 0; i < lines.size(); i++) {
                Request request = bulk.get(i);
                IdempotencyKey its = Gateway.key(request.key, asked.get(i));
                switch (lines.get(i)) {
                    case Line.Accepted it -> {
                        accepted(request, its, it.job());
                        request.below = it.below();
                    }
                    case Line.Refused it -> {
                        assertThat(it.code()).isEqualTo("idempotency_key_reused");
                        refused(request, its);
                    }
                    case Line.Unknown _ ->
                            listener.tell("whether job ", i, " of many is accepted is not known");
                }
            }
        } catch (Unavailable e) {
            listener.tell("whether many jobs are accepted is not known: ", e);
        }
    }

    /// Somebody looks for his job at any gateway, and changes it.
    private void look() {
        List<Request> accepted = requests.stream().filter(it -> it.accepted != null).toList();
        if (!accepted.isEmpty()) {
            Request request = accepted.get(random.nextInt(accepted.size()));
            JobId job = Objects.requireNonNull(request.accepted);
            Position below = random.nextBoolean() ? request.below : null;
            any().ask(service -> assertThere(job, below, request.caller, service));
            change(job);
        }
    }

    private void assertThere(
            JobId job, @Nullable Position below, Caller caller, GatewayService at) {
        try {
            if (below != null) {
                assertThat(at.gateway().picture(below).job(job, at.clocks().millis()))
                        .as("job %s is below %s", job, below)
                        .isPresent();
            }
            assertThat(at.gateway().named(new JobName(job), caller))
                    .extracting(Job::id)
                    .contains(job);
        } catch (Refused e) {
            throw new AssertionError("job " + job + " was accepted", e);
        } catch (Unavailable e) {
            listener.tell("whether there is job ", job, " is not known: ", e);
        }
    }

    @Override
    public void ask(Submission request, RandomGenerator random) {
        any().ask(service -> attempt(() -> ask(request, service)));
    }

    /// Two change it at once, each as he has seen it.
    private void change(JobId job) {
        ServiceGateway gateway = any();
        gateway.ask(service -> attempt(() -> change(job, service)));
        gateway.ask(service -> attempt(() -> change(job, service)));
    }

    private void attempt(Attempt attempt) {
        try {
            attempt.run();
        } catch (Refused e) {
            listener.tell(e.refusal());
        } catch (Unavailable e) {
            listener.tell("whether that is asked is not known: ", e);
        }
    }

    private interface Attempt {
        void run() throws Refused;
    }

    private Position ask(Submission request, GatewayService at) {
        Position written = at.ask(request);
        assertThat(log.read(SUBMISSIONS, written.offset() - 1).getFirst().value())
                .isEqualTo(request);
        return written;
    }

    /// Gives it another name. Of those who saw the same one does.
    private void change(JobId id, GatewayService at) throws Refused {
        Job job = at.gateway().named(new JobName(id), ROOT).getFirst();
        if (job.state() != JobState.PENDING && job.state() != JobState.RUNNING) {
            return;
        }
        var seen = new Seen(at, id, GatewayRequests.tag(job));
        for (int pause = random.nextInt(4); pause > 0; pause--) {
            at.clocks().sleep(0);
        }
        names++;
        var named =
                new Amendment(null, null, null, "job-" + names, null, null, null, null, null, null);
        var request = new Amended(id, "root", named);
        if (at.requests().ask(id, seen.tag(), () -> ask(request, at)).isPresent()) {
            listener.tell("job ", id, " has another name");
            assertThat(changed.add(seen)).as("%s is changed once", seen).isTrue();
        } else {
            listener.tell("job ", id, " is not as it was seen");
        }
    }

    @Override
    public void land(RandomGenerator random) {
        any().land();
    }

    @Override
    public void restartGateway(RandomGenerator random) {
        listener.tell("a gateway restarts");
        any().restart();
    }

    @Override
    public void cutOffGateway(boolean now, RandomGenerator random) {
        int which = random.nextInt(2);
        listener.tell("gateway ", which, now ? " is cut off" : " is connected");
        gateways.get(which).cutOff(now);
    }

    @Override
    public void skewGateway(RandomGenerator random) {
        any().skew(random.nextLong(-SimulatedUsers.MOST_SKEW, SimulatedUsers.MOST_SKEW));
    }

    @Override
    public void goOn(RandomGenerator random) {
        any().goOn();
    }

    @Override
    public void calm(RandomGenerator random) {
        gateways.forEach(ServiceGateway::calm);
        if (gateways.stream().noneMatch(ServiceGateway::busy)) {
            requests.stream().filter(Request::unanswered).forEach(this::send);
        }
    }

    @Override
    public boolean answered() {
        return requests.stream().noneMatch(Request::unanswered)
                && gateways.stream().allMatch(it -> it.ready() && !it.busy());
    }

    @Override
    public void check() {
        laws.check();
    }

    /// A key has one job at most, whatever became of the requests, and what was asked for without
    /// one is written once at most; and each gateway shows the jobs that there are.
    @Override
    public void checkEnd(MeshAuditor auditor, CellState state) {
        for (Request request : requests) {
            assertThat(
                            laws.submitted()
                                    .filter(request::by)
                                    .map(Submitted::job)
                                    .filter(auditor.queued()::contains))
                    .as("jobs of key %s", request.key)
                    .hasSizeLessThanOrEqualTo(1);
        }
        assertThat(laws.submitted().filter(it -> it.key() == null))
                .hasSizeLessThanOrEqualTo(
                        (int) requests.stream().filter(it -> it.key == null).count());
        var known = new TreeMap<JobId, JobState>();
        for (JobStatus job : state.jobs()) {
            known.put(job.job(), job.state());
        }
        for (ServiceGateway gateway : gateways) {
            gateway.ask(service -> assertShows(known, service));
            for (int turns = 0; turns < 1_000 && gateway.busy(); turns++) {
                gateway.calm();
            }
            assertThat(gateway.busy()).as("a gateway does not answer").isFalse();
        }
    }

    /// Before it says that there is no job it has read them all.
    private static void assertShows(Map<JobId, JobState> jobs, GatewayService at) {
        try {
            throw new AssertionError(at.gateway().named(NONE, ROOT));
        } catch (Refused e) {
            var shown = new TreeMap<JobId, JobState>();
            at.gateway()
                    .picture(null)
                    .jobs(at.clocks().millis())
                    .forEach(it -> shown.put(it.id(), it.state()));
            assertThat(shown).isEqualTo(jobs);
        }
    }

    @Override
    public void die() {
        gateways.forEach(ServiceGateway::die);
    }
}
