package io.berth.agent.nvml;

import static io.berth.agent.nvml.Nvml.require;
import static io.berth.agent.nvml.Nvml.told;
import static io.berth.agent.nvml.Nvml.zeroed;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.MigProfile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What one GPU in MIG mode is split into, and may be. Each GPU instance has one compute instance,
/// which is all of it: that is what jobs get.
///
/// Source: NVIDIA, "NVML API Reference Guide", Multi Instance GPU Management.
record NvmlMig(NvmlDevice device) {

    /// Numbers of profiles beyond those that any driver knows.
    private static final int PROFILES = 32;

    private static final int COMPUTE_PROFILES = 8;

    /// nvmlGpuInstanceProfileInfo_v2_t: version at byte 0, id 4, slices 12, instances 16, MiB 48,
    /// name 56.
    private static final int PROFILE_BYTES = 152;

    private static final int PROFILE_VERSION = PROFILE_BYTES | 2 << 24;

    /// nvmlComputeInstanceProfileInfo_t: id at byte 0, slices 4.
    private static final int COMPUTE_PROFILE_BYTES = 36;

    /// nvmlGpuInstanceInfo_t: start at byte 16, size 20.
    private static final int INSTANCE_BYTES = 24;

    private static final int PLACEMENT_BYTES = 8;
    private static final int MOST = 32;
    private static final String PREFIX = "MIG ";

    /// A profile as the driver numbers it.
    ///
    /// @param compute how many compute slices it has
    private record Offer(int id, int compute, MigProfile profile) {}

    private record Instance(Pointer handle, Offer offer, MigPlacement place) {}

    /// The GPU in MIG mode; nothing where the driver does not tell how it may be split.
    ///
    /// @param index its place among the machine's GPUs
    Optional<MigGpu> gpu(int index, String uuid, String type) throws NvmlFailure {
        List<Offer> offers = offers();
        if (offers.isEmpty()) {
            return Optional.empty();
        }
        var places = new ArrayList<MigPlacement>();
        for (Instance instance : instances(offers)) {
            if (!computeInstances(instance).isEmpty()) {
                places.add(instance.place());
            }
        }
        List<MigProfile> profiles = offers.stream().map(Offer::profile).toList();
        return Optional.of(new MigGpu(index, uuid, type, profiles, places, null));
    }

    /// Destroys what it is split into, and splits it so. A failure leaves it as far as that came.
    void divide(List<MigPlacement> into) throws NvmlFailure {
        List<Offer> offers = offers();
        for (Instance instance : instances(offers)) {
            for (Pointer compute : computeInstances(instance)) {
                require(
                        "nvmlComputeInstanceDestroy",
                        () -> library().nvmlComputeInstanceDestroy(compute));
            }
            require(
                    "nvmlGpuInstanceDestroy",
                    () -> library().nvmlGpuInstanceDestroy(instance.handle()));
        }
        for (MigPlacement place : into) {
            Offer offer =
                    offers.stream()
                            .filter(it -> it.profile().name().equals(place.profile()))
                            .findFirst()
                            .orElseThrow(
                                    () -> NvmlFailure.missing("no MIG profile " + place.profile()));
            create(offer, place);
        }
    }

    private NvmlLibrary library() {
        return device.library();
    }

    private List<Offer> offers() throws NvmlFailure {
        var offers = new ArrayList<Offer>();
        for (int number = 0; number < PROFILES; number++) {
            int profile = number;
            Memory info = zeroed(PROFILE_BYTES);
            info.setInt(0, PROFILE_VERSION);
            if (told(
                    "nvmlDeviceGetGpuInstanceProfileInfoV",
                    () ->
                            library()
                                    .nvmlDeviceGetGpuInstanceProfileInfoV(
                                            device.handle(), profile, info))) {
                offer(info).ifPresent(offers::add);
            }
        }
        return offers;
    }

    private Optional<Offer> offer(Memory info) throws NvmlFailure {
        int id = info.getInt(4);
        String name =
                Native.toString(info.getByteArray(56, 96), StandardCharsets.UTF_8.name()).strip();
        var count = new IntByReference(MOST);
        Memory places = zeroed(MOST * PLACEMENT_BYTES);
        if (!name.startsWith(PREFIX)
                || !told(
                        "nvmlDeviceGetGpuInstancePossiblePlacements_v2",
                        () ->
                                library()
                                        .nvmlDeviceGetGpuInstancePossiblePlacements_v2(
                                                device.handle(), id, places, count))
                || count.getValue() == 0) {
            return Optional.empty();
        }
        var starts = new ArrayList<Integer>();
        for (int i = 0; i < Math.min(count.getValue(), MOST); i++) {
            starts.add(places.getInt((long) i * PLACEMENT_BYTES));
        }
        var profile =
                new MigProfile(
                        name.substring(PREFIX.length()),
                        info.getLong(48),
                        places.getInt(4),
                        starts.stream().sorted().toList(),
                        info.getInt(16));
        return Optional.of(new Offer(id, info.getInt(12), profile));
    }

    private List<Instance> instances(List<Offer> offers) throws NvmlFailure {
        var instances = new ArrayList<Instance>();
        for (Offer offer : offers) {
            var count = new IntByReference(MOST);
            Memory handles = zeroed(MOST * Native.POINTER_SIZE);
            require(
                    "nvmlDeviceGetGpuInstances",
                    () ->
                            library()
                                    .nvmlDeviceGetGpuInstances(
                                            device.handle(), offer.id(), handles, count));
            for (Pointer handle : handles.getPointerArray(0, count.getValue())) {
                Memory info = zeroed(INSTANCE_BYTES);
                require(
                        "nvmlGpuInstanceGetInfo",
                        () -> library().nvmlGpuInstanceGetInfo(handle, info));
                instances.add(new Instance(handle, offer, offer.profile().at(info.getInt(16))));
            }
        }
        return instances;
    }

    private List<Pointer> computeInstances(Instance instance) throws NvmlFailure {
        var all = new ArrayList<Pointer>();
        for (int number = 0; number < COMPUTE_PROFILES; number++) {
            Optional<Memory> profile = computeProfile(instance.handle(), number);
            if (profile.isEmpty()) {
                continue;
            }
            int id = profile.get().getInt(0);
            var count = new IntByReference(MOST);
            Memory handles = zeroed(MOST * Native.POINTER_SIZE);
            if (told(
                    "nvmlGpuInstanceGetComputeInstances",
                    () ->
                            library()
                                    .nvmlGpuInstanceGetComputeInstances(
                                            instance.handle(), id, handles, count))) {
                all.addAll(List.of(handles.getPointerArray(0, count.getValue())));
            }
        }
        return all;
    }

    private Optional<Memory> computeProfile(Pointer gpuInstance, int number) throws NvmlFailure {
        Memory info = zeroed(COMPUTE_PROFILE_BYTES);
        return told(
                        "nvmlGpuInstanceGetComputeInstanceProfileInfo",
                        () ->
                                library()
                                        .nvmlGpuInstanceGetComputeInstanceProfileInfo(
                                                gpuInstance, number, 0, info))
                ? Optional.of(info)
                : Optional.empty();
    }

    private void create(Offer offer, MigPlacement place) throws NvmlFailure {
        Memory where = zeroed(PLACEMENT_BYTES);
        where.setInt(0, place.start());
        where.setInt(4, place.slices());
        var created = new PointerByReference();
        require(
                "nvmlDeviceCreateGpuInstanceWithPlacement",
                () ->
                        library()
                                .nvmlDeviceCreateGpuInstanceWithPlacement(
                                        device.handle(), offer.id(), where, created));
        Pointer instance = created.getValue();
        for (int number = 0; number < COMPUTE_PROFILES; number++) {
            Optional<Memory> profile = computeProfile(instance, number);
            if (profile.isPresent() && profile.get().getInt(4) == offer.compute()) {
                int id = profile.get().getInt(0);
                require(
                        "nvmlGpuInstanceCreateComputeInstance",
                        () ->
                                library()
                                        .nvmlGpuInstanceCreateComputeInstance(
                                                instance, id, new PointerByReference()));
                return;
            }
        }
        throw NvmlFailure.missing("no compute instance is all of " + place.profile());
    }
}
