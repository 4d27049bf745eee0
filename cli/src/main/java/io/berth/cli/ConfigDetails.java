package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.slurm.SlurmTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The text of `scontrol show config`: what the cluster's configuration says, and what Berth does
/// anyway, by Slurm's names; and `Packing`, for which Slurm has none. What has no value here is
/// left out.
///
/// @param document in the shape of the cluster file
record ConfigDetails(JsonObject document, Terminal terminal) {

    /// @param gateway its address
    List<String> lines(String gateway) {
        var lines = new ArrayList<String>();
        lines.add(
                "Configuration data as of "
                        + Dates.iso(terminal.now(), terminal.zone().get(), "Unknown"));
        settings(gateway).forEach((name, value) -> lines.add("%-23s = %s".formatted(name, value)));
        return lines;
    }

    private Map<String, String> settings(String gateway) {
        Map<String, String> settings = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        settings.putAll(SlurmCluster.ANYWAY);
        settings.put("AccountingStorageEnforce", "associations,limits,qos");
        settings.put("ClusterName", orNull(document.fields().get("name")));
        settings.put("SLURM_VERSION", Main.version());
        settings.put("SlurmctldHost[0]", gateway);
        put(settings, "FairShareDampeningFactor", "fairShare", "dampening");
        put(settings, "PriorityDecayHalfLife", "fairShare", "halfLife");
        settings.computeIfPresent("PriorityDecayHalfLife", ConfigDetails::days);
        put(settings, "PriorityUsageResetPeriod", "fairShare", "usageReset");
        put(settings, "PriorityMaxAge", "priority", "maxAge");
        settings.computeIfPresent("PriorityMaxAge", ConfigDetails::days);
        put(settings, "PriorityFavorSmall", "priority", "favorSmall");
        JsonObject weights = document.object("priority").object("weights");
        SlurmCluster.WEIGHTS.forEach((slurms, own) -> {
            if (weights.has(own)) {
                settings.put(slurms, orNull(weights.fields().get(own)));
            }
        });
        put(settings, "PreemptType", "preemption", "type");
        put(settings, "PreemptMode", "preemption", "mode");
        put(settings, "PreemptExemptTime", "preemption", "exemptTime");
        settings.computeIfPresent("PreemptExemptTime", ConfigDetails::days);
        put(settings, "SchedulerTimeSlice", "preemption", "timeSlice");
        settings.computeIfPresent("PreemptType", (_, type) -> "preempt/" + type);
        String packing = document.text("packing");
        settings.put("Packing", packing.isEmpty() ? "tightest" : packing);
        settings.put(
                "SelectTypeParameters",
                (document.flag("wholeCores") ? "CR_Core_Memory" : "CR_CPU_Memory")
                        + (packing.equals("least-loaded") ? ",CR_LLN" : ""));
        List<String> hidden = document.texts("privateData");
        settings.put("PrivateData", hidden.isEmpty() ? "none" : String.join(",", hidden));
        if (document.has("blocks")) {
            settings.put("TopologyPlugin", "topology/block");
        }
        return settings;
    }

    private void put(Map<String, String> settings, String name, String section, String key) {
        JsonObject in = document.object(section);
        if (in.has(key)) {
            settings.put(name, orNull(in.fields().get(key)));
        }
    }

    /// `7-00:00:00`, however it is written.
    private static String days(String unused, String written) {
        OptionalLong seconds = SlurmTime.parseLimit(written);
        return seconds.isEmpty() ? written : SlurmTime.full(seconds.getAsLong());
    }

    private static String orNull(@Nullable Object value) {
        return switch (value) {
            case null -> "(null)";
            case Boolean flag -> flag ? "Yes" : "No";
            default -> value.toString();
        };
    }
}
