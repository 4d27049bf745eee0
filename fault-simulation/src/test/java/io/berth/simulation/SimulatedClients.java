package io.berth.simulation;

import io.berth.log.Clocks;
import io.berth.log.LogClients;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Queue;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
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

    private final SimulatedLog log;
    private final Group group;
    private final RandomGenerator random;
    private final LongSupplier right;
    private final java.util.function.Consumer<List<Message>> committed;
    private final Queue<Runnable> inFlight = new ArrayDeque<>();
    private @Nullable Coroutine life;
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
    void start(Runnable service) {
        kill();
        life = new Coroutine(service);
    }

    boolean alive() {
        return life != null && !life.ended();
    }

    /// What was on its way may still come.
    void kill() {
        if (life != null) {
            life.kill();
            life = null;
        }
        if (group.elected(this)) {
            group.elected = null;
        }
    }

    /// Lets the service go on to its next call.
    void step() {
        if (life != null) {
            life.resume();
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

    /// So many of the records that are on their way come.
    void land(int most) {
        for (int i = 0; i < most && !inFlight.isEmpty(); i++) {
            inFlight.remove().run();
        }
    }

    /// A client is called: others may go on before it does.
    void call() {
        if (life != null) {
            life.pause();
        }
    }

    /// A client is called that waits for the brokers.
    void callBrokers() {
        do {
            call();
        } while (cutOff);
    }

    void polled() {
        polls++;
    }

    /// Puts a record on its way.
    ///
    /// @param told called when it has come, if this life of the service has not ended by then
    void write(ProducerRecord<byte[], byte[]> record, java.util.function.Consumer<Message> told) {
        Coroutine writer = life;
        inFlight.add(() -> {
            Message message = log.append(record);
            if (writer == life) {
                told.accept(message);
            }
        });
        if (!cutOff && random.nextInt(3) != 0) {
            landAll();
        }
    }

    void landAll() {
        land(inFlight.size());
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
        if (life != null && !life.killed() && elected()) {
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
