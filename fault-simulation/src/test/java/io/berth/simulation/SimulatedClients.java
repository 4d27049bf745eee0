package io.berth.simulation;

import io.berth.log.Clocks;
import io.berth.log.LogClients;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Lock;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The machine of one instance of a service: its clients of the simulated log, its clocks, and its
/// life. Each call of a client is a moment at which others may go on, however long; a call that
/// waits for brokers that cannot be reached fails as Kafka's do.
///
/// Clients have the methods that the services call, and no others.
public final class SimulatedClients implements LogClients, Clocks {

    private static final long NANOS = 1_000_000;

    /// Members of a group that elects one.
    static final class Group {
        private @Nullable SimulatedClients elected;

        /// This one is elected from now on; the one before learns it when it polls.
        void elect(SimulatedClients member) {
            elected = member;
        }

        boolean elected(SimulatedClients member) {
            return elected == member;
        }
    }

    /// A record on its way.
    private static final class Flight {

        private final ProducerRecord<byte[], byte[]> record;
        private Callback told;

        /// As it stands in the log; null if it does not yet.
        private @Nullable Message landed;

        private Flight(ProducerRecord<byte[], byte[]> record, Callback told) {
            this.record = record;
            this.told = told;
        }
    }

    private final SimulatedLog log;
    private final Group group;
    private final RandomGenerator random;
    private final LongSupplier right;
    private final java.util.function.Consumer<List<Message>> committed;
    private final Deque<Flight> inFlight = new ArrayDeque<>();

    /// Registrations that were on their way when it died.
    private final Deque<ProducerRecord<byte[], byte[]>> late = new ArrayDeque<>();

    /// Those of its life; none if it is dead.
    private List<Coroutine> threads = List.of();

    /// The one that runs now.
    private @Nullable Coroutine running;

    private boolean dying;
    private boolean cutOff;
    private long skewMillis;
    private long polls;

    /// @param random draws what the brokers do
    /// @param right the time that is right, in epoch milliseconds
    /// @param committed is given what its transactions show
    SimulatedClients(
            SimulatedLog log,
            Group group,
            RandomGenerator random,
            LongSupplier right,
            java.util.function.Consumer<List<Message>> committed) {
        this.log = log;
        this.group = group;
        this.random = random;
        this.right = right;
        this.committed = committed;
    }

    /// The service starts, from the log alone; what ran before is killed.
    ///
    /// @param service its threads
    void start(Runnable... service) {
        kill();
        threads = Stream.of(service).map(Coroutine::new).toList();
    }

    boolean alive() {
        return threads.stream().anyMatch(it -> !it.ended());
    }

    /// What was on its way may still come, before what is written in its next life; a registration
    /// comes whenever it likes.
    void kill() {
        dying = true;
        threads.forEach(it -> within(it, Coroutine::kill));
        dying = false;
        threads = List.of();
        inFlight.forEach(it -> it.told = (_, _) -> {});
        inFlight.removeIf(it ->
                it.landed == null
                        && it.record.topic().equals(SimulatedPlacement.NODES)
                        && late.add(it.record));
        if (group.elected(this)) {
            group.elected = null;
        }
    }

    private void within(Coroutine thread, java.util.function.Consumer<Coroutine> does) {
        running = thread;
        try {
            does.accept(thread);
        } finally {
            running = null;
        }
    }

    /// Lets the service go on to its next call.
    void step() {
        step(0);
    }

    /// Lets one of its threads go on to its next call.
    void step(int which) {
        if (!threads.isEmpty()) {
            within(threads.get(which), Coroutine::resume);
        }
    }

    /// Lets the service go on until it has asked so often for what there is to read, or has ended.
    void untilPolled(int times) {
        long until = polls + times;
        for (int calls = 0; alive() && polls < until && calls < 5_000; calls++) {
            step();
        }
    }

    void cutOff(boolean now) {
        cutOff = now;
    }

    boolean cutOff() {
        return cutOff;
    }

    /// Its clock of the day is off by so much from now on.
    void skew(long millis) {
        skewMillis = millis;
    }

    boolean clockIsOff() {
        return Math.abs(skewMillis) > SimulatedPlacement.MOST_SKEW_MILLIS;
    }

    /// So many of the records that are on their way come, or are answered. Each waits for the
    /// answer to the one before it.
    void land(int most) {
        for (int i = 0; i < most && !cutOff && !inFlight.isEmpty(); i++) {
            Flight first = inFlight.getFirst();
            boolean answered = first.landed != null || random.nextInt(8) != 0;
            Message landed = land(first);
            if (answered) {
                inFlight.remove();
                first.told.onCompletion(landed.metadata(), null);
            }
        }
    }

    private Message land(Flight flight) {
        Message landed = flight.landed;
        if (landed == null) {
            landed = log.append(flight.record);
            flight.landed = landed;
        }
        return landed;
    }

    /// How many records are on their way, or are not answered yet.
    int underway() {
        return inFlight.size();
    }

    /// The next record has no answer for so long that its writer gives up on it: it may have come,
    /// or not.
    void giveUp() {
        Flight first = inFlight.poll();
        if (first != null) {
            if (random.nextInt(2) == 0) {
                land(first);
            }
            first.told.onCompletion(null, new TimeoutException("the brokers do not answer"));
        }
    }

    /// A client is called: others may go on before it does.
    void call() {
        if (running != null) {
            running.pause();
        }
    }

    /// A client is called that waits for the brokers.
    void callBrokers() {
        do {
            call();
        } while (cutOff);
    }

    /// A client is called that waits for the brokers, and not for long.
    void callInTime() {
        call();
        if (cutOff) {
            throw new TimeoutException("the brokers do not answer");
        }
    }

    void polled() {
        polls++;
    }

    /// Puts a record on its way.
    ///
    /// @param told of its answer, unless this life of the service has ended by then
    void write(ProducerRecord<byte[], byte[]> record, Callback told) {
        inFlight.add(new Flight(record, told));
        if (random.nextInt(3) != 0) {
            land(inFlight.size());
        }
    }

    /// A registration comes that was on its way when it died; whether there was one.
    boolean landLate() {
        ProducerRecord<byte[], byte[]> first = late.poll();
        if (first != null) {
            log.append(first);
        }
        return first != null;
    }

    void landAll() {
        while (!cutOff && !inFlight.isEmpty()) {
            land(1);
        }
    }

    /// That was shown by a transaction.
    void committed(List<Message> messages) {
        committed.accept(messages);
    }

    SimulatedLog log() {
        return log;
    }

    RandomGenerator random() {
        return random;
    }

    boolean elected() {
        return group.elected(this);
    }

    /// One that is killed does not say so.
    void leavesElection() {
        if (!dying && elected()) {
            group.elected = null;
        }
    }

    @Override
    public long millis() {
        return right.getAsLong() + skewMillis;
    }

    @Override
    public long nanos() {
        return right.getAsLong() * NANOS;
    }

    @Override
    public void sleep(long nanos) {
        call();
    }

    @Override
    public boolean await(Future<?> it, long nanos) {
        long begun = nanos();
        while (!it.isDone() && nanos() - begun < nanos) {
            call();
        }
        return it.isDone();
    }

    @Override
    public boolean lock(Lock lock, long nanos) {
        long begun = nanos();
        boolean taken = lock.tryLock();
        while (!taken && nanos() - begun < nanos) {
            call();
            taken = lock.tryLock();
        }
        return taken;
    }

    @Override
    public Admin admin() {
        return client(Admin.class, new SimulatedAdmin(this));
    }

    @Override
    @SuppressWarnings("unchecked")
    public Producer<byte[], byte[]> producer() {
        return client(Producer.class, new SimulatedProducer(this));
    }

    @Override
    @SuppressWarnings("unchecked")
    public Producer<byte[], byte[]> transactionalProducer(String transactionalId) {
        return client(Producer.class, new TransactionalProducer(this, transactionalId));
    }

    @Override
    @SuppressWarnings("unchecked")
    public Consumer<byte[], byte[]> consumer() {
        return client(Consumer.class, new SimulatedConsumer(this));
    }

    @Override
    public Consumer<byte[], byte[]> follower() {
        return consumer();
    }

    @Override
    public Consumer<byte[], byte[]> follower(Duration answered) {
        return consumer();
    }

    @Override
    @SuppressWarnings("unchecked")
    public Consumer<byte[], byte[]> candidate(String name, Duration wedgedAfter) {
        return client(Consumer.class, new Candidate(this));
    }

    /// A client that has the methods of this object.
    private static <C> C client(Class<C> type, Object methods) {
        var known = new HashMap<Method, Method>();
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> {
                            try {
                                return known.computeIfAbsent(method, it -> same(it, methods))
                                        .invoke(methods, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }

    private static Method same(Method method, Object methods) {
        try {
            Method found =
                    methods.getClass().getMethod(method.getName(), method.getParameterTypes());
            found.setAccessible(true);
            return found;
        } catch (NoSuchMethodException e) {
            throw new AssertionError("not simulated: " + method, e);
        }
    }
}
