package io.berth.simulation;

import static io.berth.simulation.SimulatedPlacement.SUBMISSIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.topic.Topics;
import io.berth.core.state.CellState;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Caller;
import io.berth.submit.Job;
import io.berth.submit.JobName;
import io.berth.submit.Position;
import io.berth.submit.Refusal;
import io.berth.submit.Refused;
import io.berth.submit.Sha256;
import io.berth.submit.Unavailable;
import io.berth.submit.http.Gateway;
import io.berth.submit.kafka.GatewayService;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// People at gateways that are the service itself. They also ask for something else with the same
/// key, at two gateways at once, and while they wait; and they look whether their jobs are there.
final class ServiceUsers implements MeshUsers {

    private static final String SPECS = Topics.SPECS.name();
    private static final Caller ROOT = caller("root", AdminLevel.ADMIN);
    private static final JobName NONE = new JobName(new JobId(1_000_000));

    private final SimulatedLog log;
    private final Listener listener;
    private final RandomGenerator random;
    private final List<ServiceGateway> gateways;
    private final List<Request> requests = new ArrayList<>();

    /// What was written so far is checked.
    private long submissionsChecked;

    private long specsChecked;
    private final TreeSet<JobId> submitted = new TreeSet<>();
    private final TreeSet<String> specified = new TreeSet<>();

    /// What somebody wants, until he knows of its job, or that its key stands for another.
    private static final class Request {
        private final Wish wish;
        private final Caller caller;
        private @Nullable Job accepted;
        private boolean refused;

        Request(Wish wish) {
            this.wish = wish;
            this.caller = caller(wish.description().user(), AdminLevel.NONE);
        }

        boolean unanswered() {
            return accepted == null && !refused && wish.key() != null;
        }

        boolean by(Submitted submission) {
            IdempotencyKey key = submission.key();
            return key != null && key.key().equals(wish.key());
        }
    }

    private static Caller caller(String user, AdminLevel level) {
        return new Caller(user, level, "login");
    }

    ServiceUsers(SimulatedLog log, Listener listener, RandomGenerator random, LongSupplier right) {
        this.log = log;
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
        return requests.stream()
                .map(it -> it.accepted)
                .filter(Objects::nonNull)
                .map(Job::id)
                .toList();
    }

    @Override
    public void request(RandomGenerator random) {
        if (requests.size() < SimulatedUsers.REQUESTS) {
            var request = new Request(Wish.of(requests.size(), random));
            requests.add(request);
            send(request);
        }
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
        boolean key = request.wish.key() != null;
        List<ServiceGateway> to = key && random.nextInt(4) == 0 ? gateways : List.of(any());
        for (ServiceGateway gateway : to) {
            String name = key && random.nextInt(8) == 0 ? "other" : "job";
            gateway.ask(service -> submit(request, name, service));
        }
    }

    private void submit(Request request, String name, GatewayService at) {
        JobSubmission same = request.wish.submission(null, name);
        IdempotencyKey key = Gateway.key(request.wish.key(), same);
        long delay = request.wish.delayMillis();
        JobSubmission asked =
                delay == 0 ? same : request.wish.submission(at.clocks().millis() + delay, name);
        try {
            Job job = at.gateway().submit(asked, request.caller, key);
            listener.tell("job ", job.id(), " is accepted");
            Submitted stands =
                    stands(it -> key == null ? it.job().equals(job.id()) : request.by(it));
            assertThat(stands.job()).as("job of key %s", key).isEqualTo(job.id());
            assertThat(stands.key()).as("key of job %s", job.id()).isEqualTo(key);
            request.accepted = job;
        } catch (Refused e) {
            listener.tell(e.refusal());
            assertThat(e.refusal()).isInstanceOf(Refusal.KeyReused.class);
            assertThat(stands(request::by).key()).as("the first with the key").isNotEqualTo(key);
            request.refused = true;
        } catch (Unavailable e) {
            listener.tell("whether a job is accepted is not known: ", e);
        }
    }

    /// The first of those in the log.
    private Submitted stands(Predicate<Submitted> which) {
        return submissions()
                .filter(which)
                .findFirst()
                .orElseThrow(
                        () -> new AssertionError("what was answered does not stand in the log"));
    }

    private Stream<Submitted> submissions() {
        return log.read(SUBMISSIONS, 0).stream()
                .map(Message::value)
                .filter(Submitted.class::isInstance)
                .map(Submitted.class::cast);
    }

    /// Somebody looks for his job at any gateway.
    private void look() {
        List<Request> accepted = requests.stream().filter(it -> it.accepted != null).toList();
        if (!accepted.isEmpty()) {
            Request request = accepted.get(random.nextInt(accepted.size()));
            Job job = Objects.requireNonNull(request.accepted);
            boolean told = random.nextBoolean();
            any().ask(service ->
                    assertThere(job, told ? Position.after(job) : null, request.caller, service));
        }
    }

    private void assertThere(Job job, @Nullable Position known, Caller caller, GatewayService at) {
        try {
            if (known != null) {
                assertThat(at.gateway().picture(known).job(job.id(), at.clocks().millis()))
                        .as("job %s is below %s", job.id(), known)
                        .isPresent();
            }
            assertThat(at.gateway().named(new JobName(job.id()), caller))
                    .extracting(Job::id)
                    .contains(job.id());
        } catch (Refused e) {
            throw new AssertionError("job " + job.id() + " was accepted", e);
        } catch (Unavailable e) {
            listener.tell("whether there is job ", job.id(), " is not known: ", e);
        }
    }

    @Override
    public void ask(Submission request, RandomGenerator random) {
        any().ask(service -> {
            try {
                Position written = service.ask(request);
                assertThat(log.read(SUBMISSIONS, written.offset() - 1).getFirst().value())
                        .isEqualTo(request);
            } catch (Unavailable e) {
                listener.tell("whether that is asked is not known: ", e);
            }
        });
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
                && gateways.stream().allMatch(ServiceGateway::ready);
    }

    /// No id is given twice, and each submission refers to what was written before it.
    @Override
    public void check() {
        for (Message message : log.read(SPECS, specsChecked)) {
            specsChecked = message.offset() + 1;
            assertThat(specified.add(message.key()))
                    .as("id %s is given once", message.key())
                    .isTrue();
        }
        for (Message message : log.read(SUBMISSIONS, submissionsChecked)) {
            submissionsChecked = message.offset() + 1;
            if (message.value() instanceof Submitted it) {
                it.jobs()
                        .forEach(one ->
                                assertThat(submitted.add(one.job()))
                                        .as("id %s is given once", one.job())
                                        .isTrue());
                List<Message> specs = log.read(SPECS, it.spec().offset());
                assertThat(specs).as("what job %s refers to", it.job()).isNotEmpty();
                Message spec = specs.getFirst();
                assertThat(spec.offset()).isEqualTo(it.spec().offset());
                assertThat(spec.key()).isEqualTo(it.job().toString());
                assertThat(Sha256.hex(spec.record().value())).isEqualTo(it.spec().sha256());
            }
        }
    }

    /// A key has one job at most, whatever became of the requests, and what was asked for without
    /// one is written once at most; and each gateway shows the jobs that there are.
    @Override
    public void checkEnd(MeshAuditor auditor, CellState state) {
        for (Request request : requests) {
            assertThat(
                            submissions()
                                    .filter(request::by)
                                    .map(Submitted::job)
                                    .filter(auditor.queued()::contains))
                    .as("jobs of key %s", request.wish.key())
                    .hasSizeLessThanOrEqualTo(1);
        }
        assertThat(submissions().filter(it -> it.key() == null))
                .hasSizeLessThanOrEqualTo(
                        (int) requests.stream().filter(it -> it.wish.key() == null).count());
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
