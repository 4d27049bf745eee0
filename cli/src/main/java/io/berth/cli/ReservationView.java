package io.berth.cli;

import io.berth.client.JsonObject;
import io.berth.slurm.HostList;
import io.berth.slurm.SlurmTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

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

    /// A reservation's nodes are always named, once it is made.
    private String flags() {
        var flags = new ArrayList<>(json.texts("flags"));
        if (json.has("purgeSeconds")) {
            flags.replaceAll(it ->
                    it.equals(PURGE)
                            ? PURGE + "=" + SlurmTime.full(json.number("purgeSeconds"))
                            : it);
        }
        if (!flags.contains("SPEC_NODES")) {
            flags.add("SPEC_NODES");
        }
        return String.join(",", flags);
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
