package io.berth.agent.host;

import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuHardware.Fabric;
import io.berth.contracts.GpuHardware.MigInstance;
import io.berth.contracts.GpuHardware.Vendor;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a driver of a test tells of a GPU: as little as it can.
public final class Drivers {

    private static final String BUS = "0000:07:00.0";

    private Drivers() {}

    public static GpuHardware nvidia(@Nullable Fabric fabric, @Nullable MigInstance mig) {
        return hardware(Vendor.NVIDIA, BUS, fabric, mig, null);
    }

    public static GpuHardware amd(String bus, int renderMinor) {
        return hardware(Vendor.AMD, bus, null, null, renderMinor);
    }

    private static GpuHardware hardware(
            Vendor vendor,
            String bus,
            @Nullable Fabric fabric,
            @Nullable MigInstance mig,
            @Nullable Integer renderMinor) {
        return new GpuHardware(
                vendor, bus, null, null, null, null, null, Map.of(), fabric, mig, renderMinor);
    }
}
