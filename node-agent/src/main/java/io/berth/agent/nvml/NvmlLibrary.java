package io.berth.agent.nvml;

import com.sun.jna.Library;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;

/// The functions of `libnvidia-ml.so.1` that are used, by their own names. A function that the
/// driver does not have throws [UnsatisfiedLinkError] when it is called, and not before.
///
/// Source: NVIDIA, "NVML API Reference Guide". Structures are plain memory; their layouts stand
/// where they are read.
interface NvmlLibrary extends Library {

    int nvmlInit_v2();

    int nvmlShutdown();

    int nvmlSystemGetDriverVersion(byte[] version, int length);

    int nvmlSystemGetCudaDriverVersion_v2(IntByReference version);

    int nvmlDeviceGetCount_v2(IntByReference count);

    int nvmlDeviceGetHandleByIndex_v2(int index, PointerByReference device);

    int nvmlDeviceGetName(Pointer device, byte[] name, int length);

    int nvmlDeviceGetUUID(Pointer device, byte[] uuid, int length);

    int nvmlDeviceGetSerial(Pointer device, byte[] serial, int length);

    int nvmlDeviceGetMinorNumber(Pointer device, IntByReference minor);

    int nvmlDeviceGetPciInfo_v3(Pointer device, Pointer pci);

    int nvmlDeviceGetCudaComputeCapability(
            Pointer device, IntByReference major, IntByReference minor);

    int nvmlDeviceGetMemoryInfo(Pointer device, Pointer memory);

    int nvmlDeviceGetCpuAffinity(Pointer device, int words, long[] cpus);

    int nvmlDeviceGetMemoryAffinity(Pointer device, int words, long[] nodes, int scope);

    int nvmlDeviceGetTopologyCommonAncestor(Pointer one, Pointer other, IntByReference level);

    int nvmlDeviceGetNvLinkState(Pointer device, int link, IntByReference active);

    int nvmlDeviceGetNvLinkRemotePciInfo_v2(Pointer device, int link, Pointer pci);

    int nvmlDeviceGetNvLinkRemoteDeviceType(Pointer device, int link, IntByReference type);

    int nvmlDeviceGetMigMode(Pointer device, IntByReference current, IntByReference pending);

    int nvmlDeviceGetMaxMigDeviceCount(Pointer device, IntByReference count);

    int nvmlDeviceGetMigDeviceHandleByIndex(Pointer device, int index, PointerByReference instance);

    int nvmlDeviceGetGpuInstanceId(Pointer instance, IntByReference id);

    int nvmlDeviceGetComputeInstanceId(Pointer instance, IntByReference id);

    int nvmlDeviceGetGpuInstanceProfileInfoV(Pointer device, int profile, Pointer info);

    int nvmlDeviceGetGpuInstancePossiblePlacements_v2(
            Pointer device, int profileId, Pointer placements, IntByReference count);

    int nvmlDeviceGetGpuInstances(
            Pointer device, int profileId, Pointer instances, IntByReference count);

    int nvmlGpuInstanceGetInfo(Pointer gpuInstance, Pointer info);

    int nvmlDeviceCreateGpuInstanceWithPlacement(
            Pointer device, int profileId, Pointer placement, PointerByReference gpuInstance);

    int nvmlGpuInstanceDestroy(Pointer gpuInstance);

    int nvmlGpuInstanceGetComputeInstanceProfileInfo(
            Pointer gpuInstance, int profile, int engines, Pointer info);

    int nvmlGpuInstanceGetComputeInstances(
            Pointer gpuInstance, int profileId, Pointer instances, IntByReference count);

    int nvmlGpuInstanceCreateComputeInstance(
            Pointer gpuInstance, int profileId, PointerByReference computeInstance);

    int nvmlComputeInstanceDestroy(Pointer computeInstance);

    int nvmlDeviceGetGpuFabricInfo(Pointer device, Pointer fabric);

    int nvmlDeviceGetEnforcedPowerLimit(Pointer device, IntByReference milliwatts);

    int nvmlDeviceGetEccMode(Pointer device, IntByReference current, IntByReference pending);

    int nvmlDeviceGetUtilizationRates(Pointer device, Pointer rates);

    int nvmlDeviceGetPowerUsage(Pointer device, IntByReference milliwatts);

    int nvmlDeviceGetTotalEnergyConsumption(Pointer device, LongByReference millijoules);

    int nvmlDeviceGetTemperature(Pointer device, int sensor, IntByReference celsius);

    int nvmlDeviceGetClockInfo(Pointer device, int clock, IntByReference megahertz);

    int nvmlDeviceGetTotalEccErrors(Pointer device, int type, int counter, LongByReference count);

    int nvmlDeviceGetComputeRunningProcesses_v3(
            Pointer device, IntByReference count, Pointer processes);

    int nvmlDeviceGetMPSComputeRunningProcesses_v3(
            Pointer device, IntByReference count, Pointer processes);

    int nvmlDeviceGetProcessUtilization(
            Pointer device, Pointer samples, IntByReference count, long since);

    int nvmlDeviceGetRetiredPagesPendingStatus(Pointer device, IntByReference pending);

    int nvmlDeviceGetRemappedRows(
            Pointer device,
            IntByReference correctable,
            IntByReference uncorrectable,
            IntByReference pending,
            IntByReference failed);

    int nvmlEventSetCreate(PointerByReference set);

    int nvmlEventSetFree(Pointer set);

    int nvmlDeviceRegisterEvents(Pointer device, long types, Pointer set);

    int nvmlEventSetWait_v2(Pointer set, Pointer event, int timeoutMillis);
}
