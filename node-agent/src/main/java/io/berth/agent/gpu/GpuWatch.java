package io.berth.agent.gpu;

import io.berth.agent.host.FoundGpus.Aside;
import io.berth.agent.nvml.Nvml;
import io.berth.agent.nvml.NvmlFailure;
import io.berth.agent.nvml.NvmlSensors;
import io.berth.agent.nvml.NvmlSensors.Reading;
import io.berth.agent.nvml.NvmlSensors.XidEvent;
import io.berth.contracts.GpuSample;
import io.berth.contracts.Hardware.Health;
import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The one thread that listens to a machine's NVIDIA GPUs: it samples them, hears their errors and
/// tests those that stand aside. A GPU that hangs may hang it; nothing waits for it, and what it
/// sampled goes out of date.
public final class GpuWatch implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(GpuWatch.class);

    /// What the watch tells, on its own thread.
    public interface Listener {

        /// A GPU has reported an error.
        ///
        /// @param uuid of the whole GPU, or of the instance of which alone it is
        /// @param fatal whether what runs on it cannot go on
        void failed(String uuid, String reason, boolean fatal);

        /// Other GPUs stand aside than before: all of them now, by UUID.
        void aside(Map<String, Aside> gpus);

        /// What those GPUs, and instances of GPUs, that answer do now.
        ///
        /// @param memory what each process has of theirs
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

    private final NvmlSensors sensors;
    private final Timing timing;
    private final GpuTrial test;
    private final Listener listener;
    private final Map<String, GpuHealth> health = new TreeMap<>();
    private final ConcurrentLinkedQueue<Tested> tested = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile Sampled sampled;
    private Map<String, String> told = Map.of();
    private volatile boolean closed;

    private GpuWatch(NvmlSensors sensors, Timing timing, GpuTrial test, Listener listener) {
        this.sensors = sensors;
        this.timing = timing;
        this.test = test;
        this.listener = listener;
        this.sampled = new Sampled(System.nanoTime(), List.of());
        this.thread = Thread.ofPlatform().name("gpus").daemon().unstarted(this::run);
    }

    /// Begins to watch the GPUs of a machine, if it has any.
    ///
    /// @param library the driver's library, by name or path
    public static Optional<GpuWatch> start(
            String library, Timing timing, GpuTrial test, Listener listener) {
        try {
            Optional<Nvml> nvml = Nvml.open(library);
            if (nvml.isEmpty()) {
                return Optional.empty();
            }
            var watch = new GpuWatch(NvmlSensors.of(nvml.get()), timing, test, listener);
            watch.thread.start();
            return Optional.of(watch);
        } catch (NvmlFailure e) {
            LOG.atWarn().addKeyValue("cause", e.reason()).log("GPUs are not watched");
            return Optional.empty();
        }
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
                    sensors.awaitXid(Math.clamp((next - System.nanoTime()) / 1_000_000, 1, 500))
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

    private void hear(XidEvent event) {
        String uuid = event.uuid();
        var xid = new Xid(event.number());
        boolean fatal = xid.severity() == Xid.Severity.FATAL;
        LOG.atWarn()
                .addKeyValue("gpu", uuid)
                .addKeyValue("xid", xid.number())
                .addKeyValue("severity", xid.severity())
                .log("GPU error: {}", xid.meaning());
        become(uuid, healthOf(uuid).after(xid, now()));
        tell();
        for (String hit : fatal ? List.of(uuid) : event.in()) {
            listener.failed(hit, "GPU " + hit + " failed: " + xid, fatal);
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
            } catch (NvmlFailure e) {
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
                Thread.ofVirtual().start(() -> tested.add(new Tested(uuid, test.failure(uuid))));
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
            listener.aside(aside);
        }
    }

    private GpuHealth healthOf(String uuid) {
        return Objects.requireNonNull(health.get(uuid), uuid);
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }
}
