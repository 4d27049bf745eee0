package io.berth.agent.gpu;

import io.berth.agent.gpu.GpuSensors.ErrorEvent;
import io.berth.agent.gpu.GpuSensors.Reading;
import io.berth.agent.host.FoundGpus.Aside;
import io.berth.contracts.GpuSample;
import io.berth.contracts.Hardware.Health;
import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The one thread that listens to one vendor's GPUs in a machine: it samples them, hears their
/// errors and tests those that stand aside. A GPU that hangs may hang it; nothing waits for it, and
/// what it sampled goes out of date.
public final class GpuWatch implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(GpuWatch.class);

    /// What the watch tells, on its own thread.
    public interface Listener {

        /// A GPU has reported an error.
        ///
        /// @param uuid of the whole GPU, or of the instance of which alone it is
        /// @param fatal whether what runs on it cannot go on
        void failed(String uuid, String reason, boolean fatal);

        /// Of the watched GPUs others stand aside than before.
        ///
        /// @param watched by UUID
        /// @param gpus those of them that do, by UUID
        void aside(Set<String> watched, Map<String, Aside> gpus);

        /// What those GPUs, and instances of GPUs, that answer do now.
        void sampled(List<Reading> readings);

        /// Whether no run holds that GPU.
        boolean free(String uuid);
    }

    /// How often.
    ///
    /// @param interval between two samples
    /// @param patience before a GPU that was put aside is tested, and between two looks for those
    ///   that did not answer at the start
    public record Timing(Duration interval, Duration patience) {}

    private record Tested(String uuid, Optional<String> failure) {}

    private record Sampled(long atNanos, List<GpuSample> samples) {}

    private final GpuSensors sensors;
    private final Timing timing;
    private final GpuTrial test;
    private final Listener listener;
    private final Map<String, GpuHealth> health = new LinkedHashMap<>();
    private final ConcurrentLinkedQueue<Tested> tested = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile Sampled sampled;
    private Map<String, String> told = Map.of();
    private volatile boolean closed;

    private GpuWatch(GpuSensors sensors, Timing timing, GpuTrial test, Listener listener) {
        this.sensors = sensors;
        this.timing = timing;
        this.test = test;
        this.listener = listener;
        this.sampled = new Sampled(System.nanoTime(), List.of());
        this.thread = Thread.ofPlatform().name("gpus").daemon().unstarted(this::run);
    }

    /// Begins to watch.
    ///
    /// @param sensors which are closed with it
    public static GpuWatch start(
            GpuSensors sensors, Timing timing, GpuTrial test, Listener listener) {
        var watch = new GpuWatch(sensors, timing, test, listener);
        watch.thread.start();
        return watch;
    }

    /// What the GPUs did when they were last sampled; nothing if that is long ago.
    public List<GpuSample> samples() {
        Sampled last = sampled;
        boolean fresh =
                System.nanoTime() - last.atNanos() < timing.interval().multipliedBy(3).toNanos();
        return fresh ? last.samples() : List.of();
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join(Duration.ofSeconds(2));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try (sensors) {
            probe(List.copyOf(sensors.uuids()));
            long look = System.nanoTime() + timing.patience().toNanos();
            while (!closed) {
                if (System.nanoTime() - look >= 0) {
                    probe(sensors.more());
                    look = System.nanoTime() + timing.patience().toNanos();
                }
                sample();
                long next = System.nanoTime() + timing.interval().toNanos();
                while (!closed && System.nanoTime() < next) {
                    sensors.awaitError(Math.clamp((next - System.nanoTime()) / 1_000_000, 1, 500))
                            .ifPresent(this::hear);
                    settleTests();
                }
            }
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("GPUs are not watched any more");
        }
    }

    /// A GPU whose memory waits for repair, from before it is watched, is put aside.
    private void probe(List<String> uuids) {
        for (String uuid : uuids) {
            health.put(uuid, GpuHealth.healthy(timing.patience()));
            sensors.fault(uuid)
                    .ifPresent(fault -> become(uuid, healthOf(uuid).drained(fault, now())));
        }
        tell();
    }

    private void hear(ErrorEvent event) {
        String uuid = event.uuid();
        GpuError error = event.error();
        boolean fatal = error.severity() == GpuError.Severity.FATAL;
        LOG.atWarn()
                .addKeyValue("gpu", uuid)
                .addKeyValue("severity", error.severity())
                .log("GPU error: {}", error);
        become(uuid, healthOf(uuid).after(error, now()));
        tell();
        for (String hit : fatal ? List.of(uuid) : event.in()) {
            listener.failed(hit, "GPU " + hit + " failed: " + error, fatal);
        }
    }

    private void sample() {
        var readings = new ArrayList<Reading>();
        for (String uuid : List.copyOf(health.keySet())) {
            try {
                List<Reading> told = sensors.read(uuid, healthOf(uuid).state());
                readings.addAll(told);
                boolean empty =
                        told.stream().allMatch(it -> it.memory().isEmpty()) && listener.free(uuid);
                become(uuid, healthOf(uuid).at(now(), empty));
            } catch (GpuLost e) {
                lost(uuid, e.reason());
            }
        }
        List<GpuSample> samples = readings.stream().map(Reading::sample).toList();
        sampled = new Sampled(System.nanoTime(), samples);
        listener.sampled(readings);
        tell();
    }

    private void lost(String uuid, String why) {
        GpuHealth before = healthOf(uuid);
        become(uuid, before.lost(why, now()).at(now(), listener.free(uuid)));
        if (before.usable()) {
            tell();
            listener.failed(uuid, "GPU " + uuid + " failed: " + why, true);
        }
    }

    /// Takes the next state; a GPU that comes to be tested is tested off this thread, for an
    /// operator's script may take its time.
    private void become(String uuid, GpuHealth next) {
        GpuHealth before = healthOf(uuid);
        health.put(uuid, next);
        if (before.state() == next.state()) {
            return;
        }
        LOG.atInfo()
                .addKeyValue("gpu", uuid)
                .addKeyValue("from", before.state())
                .addKeyValue("to", next.state())
                .addKeyValue("reason", next.reason())
                .log("GPU health");
        if (next.state() == Health.TESTING) {
            Optional<String> fault = sensors.fault(uuid);
            if (fault.isPresent()) {
                tested.add(new Tested(uuid, fault));
            } else {
                Thread.ofVirtual()
                        .start(() ->
                                tested.add(
                                        new Tested(uuid, test.failure(uuid, sensors.variable()))));
            }
        }
    }

    private void settleTests() {
        for (Tested result = tested.poll(); result != null; result = tested.poll()) {
            GpuHealth before = healthOf(result.uuid());
            if (before.state() == Health.TESTING) {
                Optional<String> failure = result.failure();
                become(
                        result.uuid(),
                        failure.isPresent()
                                ? before.failed(failure.get(), now())
                                : before.passed(timing.patience()));
                tell();
            }
        }
    }

    private void tell() {
        Map<String, Aside> aside = new TreeMap<>();
        health.forEach((uuid, it) -> {
            if (!it.usable()) {
                aside.put(uuid, new Aside(it.state(), it.reason()));
            }
        });
        Map<String, String> reasons = new TreeMap<>();
        aside.forEach((uuid, it) -> reasons.put(uuid, it.reason()));
        if (!reasons.equals(told)) {
            told = reasons;
            listener.aside(Set.copyOf(health.keySet()), aside);
        }
    }

    private GpuHealth healthOf(String uuid) {
        return Objects.requireNonNull(health.get(uuid), uuid);
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }
}
