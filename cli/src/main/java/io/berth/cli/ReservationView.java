package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.slurm.HostList;
import io.berth.slurm.SlurmTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A reservation as the gateway tells of it.
record ReservationView(JsonObject json) {

    static final String NONE = "No reservations in the system\n";

    static List<ReservationView> all(JsonObject answer) {
        return answer.objects("reservations").stream().map(ReservationView::new).toList();
    }

    private static final String PURGE = "PURGE_COMP";

    String name() {
        return json.text("name");
    }

    private String nodes() {
        return HostList.compress(json.texts("nodes"));
    }

    private String duration() {
        return SlurmTime.full((json.number("endsAt") - json.number("startsAt")) / 1000);
    }

    private String time(String name, ZoneId zone) {
        return Dates.iso(json.number(name), zone, "Unknown");
    }

    private String listed(String name) {
        List<String> texts = json.texts(name);
        return texts.isEmpty() ? "(null)" : String.join(",", texts);
    }

    /// The text of `scontrol show reservation`.
    List<String> details(ZoneId zone) {
        long cpus = json.number("cpus");
        return List.of(
                "ReservationName="
                        + name()
                        + " StartTime="
                        + time("startsAt", zone)
                        + " EndTime="
                        + time("endsAt", zone)
                        + " Duration="
                        + duration(),
                "Nodes="
                        + (json.texts("nodes").isEmpty() ? "(null)" : nodes())
                        + " NodeCnt="
                        + json.texts("nodes").size()
                        + " CoreCnt="
                        + cpus
                        + " Features=(null) PartitionName="
                        + (json.has("partition") ? json.text("partition") : "(null)")
                        + " Flags="
                        + flags(),
                "TRES=cpu=" + cpus,
                "Users="
                        + listed("users")
                        + " Groups=(null) Accounts="
                        + listed("accounts")
                        + " Licenses=(null) State="
                        + json.text("state")
                        + " BurstBuffer=(null) Watts=n/a",
                "MaxStartDelay=(null)");
    }

    /// A reservation as `scontrol show reservation --json` tells of it: times are epoch seconds.
    ///
    /// Source: data parser v0.0.40 of Slurm 23.11.
    Map<String, @Nullable Object> data() {
        var data = new LinkedHashMap<String, @Nullable Object>();
        data.put("name", name());
        data.put("start_time", SlurmData.setUnlessZero(json.number("startsAt") / 1000));
        data.put("end_time", SlurmData.setUnlessZero(json.number("endsAt") / 1000));
        data.put("accounts", String.join(",", json.texts("accounts")));
        data.put("users", String.join(",", json.texts("users")));
        data.put("node_count", json.texts("nodes").size());
        data.put("node_list", nodes());
        data.put("partition", json.text("partition"));
        data.put("core_count", json.number("cpus"));
        data.put("core_specializations", List.of());
        data.put("tres", "cpu=" + json.number("cpus"));
        data.put("flags", withNodes());
        data.put(
                "purge_completed",
                Map.of(
                        "time",
                        json.has("purgeSeconds")
                                ? SlurmData.number(json.number("purgeSeconds"))
                                : SlurmData.UNSET));
        for (String unused : List.of("burst_buffer", "features", "groups", "licenses")) {
            data.put(unused, "");
        }
        data.put("max_start_delay", 0);
        data.put("watts", SlurmData.UNSET);
        data.put("berth", json);
        return data;
    }

    private String flags() {
        List<String> flags = withNodes();
        if (json.has("purgeSeconds")) {
            flags.replaceAll(it ->
                    it.equals(PURGE)
                            ? PURGE + "=" + SlurmTime.full(json.number("purgeSeconds"))
                            : it);
        }
        return String.join(",", flags);
    }

    /// The flags. A reservation's nodes are always named, once it is made.
    private List<String> withNodes() {
        var flags = new ArrayList<>(json.texts("flags"));
        if (!flags.contains("SPEC_NODES")) {
            flags.add("SPEC_NODES");
        }
        return flags;
    }

    /// The lines of `sinfo --reservation`, with the line of titles.
    static String table(List<ReservationView> all, ZoneId zone) {
        int width = "RESV_NAME".length();
        for (ReservationView it : all) {
            width = Math.max(width, it.name().length());
        }
        String format = "%-" + width + "s  %8s  %19s  %19s  %11s  %s\n";
        var text = new StringBuilder();
        text.append(
                format.formatted(
                        "RESV_NAME", "STATE", "START_TIME", "END_TIME", "DURATION", "NODELIST"));
        for (ReservationView it : all) {
            text.append(
                    format.formatted(
                            it.name(),
                            it.json.text("state"),
                            it.time("startsAt", zone),
                            it.time("endsAt", zone),
                            it.duration(),
                            it.nodes()));
        }
        return text.toString();
    }
}
