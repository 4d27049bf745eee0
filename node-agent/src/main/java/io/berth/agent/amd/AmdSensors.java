package io.berth.agent.amd;

import io.berth.agent.amd.AmdCard.Errors;
import io.berth.agent.amd.AmdCard.Measured;
import io.berth.agent.gpu.AmdError;
import io.berth.agent.gpu.GpuError;
import io.berth.agent.gpu.GpuLost;
import io.berth.agent.gpu.GpuSensors;
import io.berth.agent.gpu.ProcessMemory;
import io.berth.agent.host.AmdGpus;
import io.berth.agent.host.AmdGpus.Device;
import io.berth.agent.host.SystemFiles;
import io.berth.contracts.GpuSample;
import io.berth.contracts.Hardware.Health;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// What the driver of a machine's AMD GPUs tells of them in its files.
///
/// Nobody tells of an error when it happens: uncorrectable errors are seen when a GPU is read, a
/// reset when the kernel keeps the dump of one (not every kernel does), which is looked for while
/// an error is waited for. A GPU is lost that has left /sys, or of which nothing that it measures
/// can be read twice in a row because it does not answer: once may be while it is reset.
///
/// Of a GPU in parts the whole measures; of each part it is known which processes are on it, and
/// what they have of its memory. What befalls the whole befalls all parts.
///
/// Source: Linux, "AMDGPU RAS Support" (`gpu/amdgpu/ras`), "Userland interfaces" (`gpu/drm-uapi`,
/// on what causes resets) and `drivers/base/devcoredump.c`.
public final class AmdSensors implements GpuSensors {

    private static final String DUMPS = "/sys/class/devcoredump";

    /// So often a GPU does not answer before it is lost.
    private static final int SILENCES = 2;

    /// Processes of a GPU that a sample names.
    private static final int MOST_TOLD = 256;

    /// A GPU as its files were found, and what they told last when the first of its parts was read.
    private static final class Card {
        final AmdCard files;
        final String first;
        @Nullable Measured last;

        Card(AmdCard files, String first) {
            this.files = files;
            this.first = first;
        }
    }

    private final SystemFiles files;
    private final KfdProcesses processes;
    private final Map<String, Device> devices = new LinkedHashMap<>();

    /// By PCI address.
    private final Map<String, Card> cards = new HashMap<>();

    /// By PCI address, how often it has not answered in a row.
    private final Map<String, Integer> silences = new HashMap<>();

    /// By PCI address and block, the uncorrectable errors that there were.
    private final Map<String, Map<String, Long>> before = new HashMap<>();

    private final Deque<ErrorEvent> errors = new ArrayDeque<>();
    private final Set<String> dumps;

    private AmdSensors(SystemFiles files) {
        this.files = files;
        this.processes = new KfdProcesses(files);
        this.dumps = new HashSet<>(files.names(DUMPS));
    }

    /// Those of all GPUs that jobs may use; nothing where there are none.
    public static Optional<AmdSensors> open(SystemFiles files) {
        var sensors = new AmdSensors(files);
        return sensors.more().isEmpty() ? Optional.empty() : Optional.of(sensors);
    }

    @Override
    public Set<String> uuids() {
        return devices.keySet();
    }

    /// What files those have that it knows is looked up again, too.
    @Override
    public List<String> more() {
        cards.clear();
        var found = new ArrayList<String>();
        for (Device device : AmdGpus.devices(files)) {
            Device known = devices.get(device.uuid());
            if (known == null) {
                found.add(device.uuid());
            }
            if (known == null || known.renderMinor() == device.renderMinor()) {
                devices.put(device.uuid(), device);
            }
        }
        return found;
    }

    @Override
    public List<Reading> read(String uuid, Health health) throws GpuLost {
        Device gpu = device(uuid);
        Optional<String> gone = gone(gpu);
        if (gone.isPresent()) {
            forget(gpu);
            throw new GpuLost(gone.get());
        }
        List<ProcessMemory> on = processes.on(gpu);
        Card card = card(gpu);
        if (card.files.asleep()) {
            return reading(gpu, on, health, Measured.ASLEEP, Optional.empty());
        }
        boolean first = gpu.uuid().equals(card.first);
        Measured measured = first || card.last == null ? measure(gpu, card) : card.last;
        if (measured.silence() != null && silences.getOrDefault(gpu.busId(), 0) >= SILENCES) {
            throw new GpuLost(measured.silence());
        }
        Optional<Errors> counted = first ? errors(gpu, card) : Optional.empty();
        return gpu.part()
                ? reading(gpu, on, health, Measured.part(memory(on)), Optional.empty())
                : reading(gpu, on, health, measured, counted);
    }

    private static List<Reading> reading(
            Device gpu,
            List<ProcessMemory> on,
            Health health,
            Measured measured,
            Optional<Errors> counted) {
        var sample =
                new GpuSample(
                        gpu.uuid(),
                        measured.use(),
                        measured.memoryUsedMib(),
                        measured.milliwatts(),
                        measured.millijoules(),
                        measured.celsius(),
                        measured.coreMhz(),
                        measured.memoryMhz(),
                        counted.map(Errors::corrected).orElse(null),
                        counted.map(Errors::uncorrectable).orElse(null),
                        on.stream().map(ProcessMemory::process).limit(MOST_TOLD).toList(),
                        health);
        return List.of(new Reading(sample, on, null));
    }

    /// What all processes have; null if that is not known of all.
    private static @Nullable Long memory(List<ProcessMemory> on) {
        long sum = 0;
        for (ProcessMemory each : on) {
            if (each.mib() == null) {
                return null;
            }
            sum += each.mib();
        }
        return sum;
    }

    private Measured measure(Device gpu, Card card) {
        Measured measured = card.files.measured();
        card.last = measured;
        if (measured.silence() == null) {
            silences.remove(gpu.busId());
        } else {
            silences.merge(gpu.busId(), 1, Integer::sum);
        }
        return measured;
    }

    /// All errors that it has counted. If there are more that it could not correct than when they
    /// were first read, or read last, that is an error of now.
    private Optional<Errors> errors(Device gpu, Card card) {
        Map<String, Errors> told = card.files.errors();
        Map<String, Long> known = before.computeIfAbsent(gpu.busId(), _ -> new HashMap<>());
        told.forEach((block, counts) -> {
            Long last = known.put(block, counts.uncorrectable());
            if (last != null && counts.uncorrectable() > last) {
                failed(
                        gpu.busId(),
                        new AmdError.Uncorrectable(block, counts.uncorrectable() - last));
            }
        });
        return card.files.sum(told);
    }

    private void failed(String busId, GpuError error) {
        devices.values().stream()
                .filter(gpu -> gpu.busId().equals(busId))
                .forEach(gpu -> errors.add(new ErrorEvent(gpu.uuid(), error, List.of(gpu.uuid()))));
    }

    @Override
    public Optional<String> fault(String uuid) {
        Device gpu = device(uuid);
        return gone(gpu)
                .or(() -> elsewhere(gpu))
                .or(() -> {
                    var card = new AmdCard(files, gpu.busId());
                    return card.asleep()
                            ? Optional.empty()
                            : Optional.ofNullable(card.measured().silence());
                });
    }

    /// Why it is not there.
    private Optional<String> gone(Device gpu) {
        return List.of(AmdCard.folder(gpu.busId()), "/sys/class/drm/renderD" + gpu.renderMinor())
                .stream()
                .filter(folder -> !files.exists(folder))
                .map(folder -> folder + " is gone")
                .findFirst();
    }

    /// One that came back with another device file than jobs are let open.
    private Optional<String> elsewhere(Device gpu) {
        return AmdGpus.devices(files).stream()
                .filter(it -> it.uuid().equals(gpu.uuid()))
                .filter(it -> it.renderMinor() != gpu.renderMinor())
                .map(it ->
                        "it came back as /dev/dri/renderD%d: restart the agent"
                                .formatted(it.renderMinor()))
                .findFirst();
    }

    private Card card(Device gpu) {
        return cards.computeIfAbsent(
                gpu.busId(), bus -> new Card(new AmdCard(files, bus), gpu.uuid()));
    }

    private void forget(Device gpu) {
        cards.remove(gpu.busId());
        before.remove(gpu.busId());
    }

    @Override
    public Optional<ErrorEvent> awaitError(long millis) {
        if (errors.isEmpty()) {
            pause(millis);
            lookForResets();
        }
        return Optional.ofNullable(errors.poll());
    }

    /// The dumps that are new: a device has one at most, which is kept for some minutes. A dump is
    /// there a moment before it tells whose it is.
    private void lookForResets() {
        List<String> now = files.names(DUMPS);
        dumps.retainAll(now);
        for (String dump : now) {
            Optional<String> bus =
                    dumps.contains(dump)
                            ? Optional.empty()
                            : files.target(DUMPS + "/" + dump + "/failing_device");
            if (bus.isPresent()) {
                dumps.add(dump);
                failed(bus.get(), new AmdError.Reset());
            }
        }
    }

    @Override
    public String variable() {
        return "ROCR_VISIBLE_DEVICES";
    }

    @Override
    public void close() {
        // Nothing is held open.
    }

    private Device device(String uuid) {
        return Objects.requireNonNull(devices.get(uuid), uuid);
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
