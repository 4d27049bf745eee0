package io.berth.cli;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/// The text of `scontrol show node`. What Berth has no notion of is printed as Slurm prints it
/// where it is not known.
final class NodeDetails {

    private NodeDetails() {}

    static List<String> lines(NodeView node, boolean details, Supplier<ZoneId> zone) {
        var lines = new ArrayList<String>();
        addProcessors(node, lines);
        lines.add("Gres=" + node.gres());
        if (!node.mig().isEmpty()) {
            lines.add("Mig=" + node.mig());
        }
        if (!node.migFailures().isEmpty()) {
            lines.add("MigFailed=" + node.migFailures());
        }
        if (details) {
            lines.add("GresDrain=N/A");
            lines.add("GresUsed=" + node.gresUsed());
        }
        lines.add(
                "NodeAddr="
                        + node.name()
                        + " NodeHostName="
                        + node.name()
                        + " Version="
                        + node.text("agentVersion"));
        lines.add("OS=" + node.text("os"));
        addMemory(node, lines);
        lines.add("Partitions=" + String.join(",", node.json().texts("partitions")) + " ");
        lines.add("BootTime=None SlurmdStartTime=None");
        lines.add("LastBusyTime=Unknown");
        lines.add("CfgTRES=" + node.configuredTres());
        lines.add("AllocTRES=" + node.allocatedTres());
        lines.add("CapWatts=n/a");
        lines.add("CurrentWatts=0 AveWatts=0");
        lines.add("ExtSensorsJoules=n/s ExtSensorsWatts=0 ExtSensorsTemp=n/s");
        addIsolation(node, lines);
        if (!node.reason().isEmpty()) {
            lines.add("Reason=" + node.reason() + by(node, zone));
        }
        if (node.json().flag("simulated")) {
            String profile = node.text("profile");
            lines.add(
                    "Comment=GPUs are simulated" + (profile.isEmpty() ? "" : " (" + profile + ")"));
        }
        return lines;
    }

    /// ` [root@2026-11-20T10:00:00]`, or nothing if nobody gave the reason.
    private static String by(NodeView node, Supplier<ZoneId> zone) {
        String user = node.text("reasonUser");
        return user.isEmpty()
                ? ""
                : " ["
                        + user
                        + "@"
                        + Dates.iso(node.number("reasonAt"), zone.get(), "Unknown")
                        + "]";
    }

    private static void addProcessors(NodeView node, List<String> lines) {
        lines.add(
                "NodeName="
                        + node.name()
                        + " Arch="
                        + node.text("architecture")
                        + " CoresPerSocket="
                        + Math.max(1, node.number("coresPerSocket"))
                        + " ");
        lines.add(
                "CPUAlloc="
                        + node.number("cpusAllocated")
                        + " CPUEfctv="
                        + node.number("cpus")
                        + " CPUTot="
                        + node.number("cpus")
                        + " CPULoad="
                        + NodeField.hundredths(node.number("loadPercent")));
        lines.add("AvailableFeatures=" + node.features());
        lines.add("ActiveFeatures=" + node.features());
    }

    private static void addMemory(NodeView node, List<String> lines) {
        lines.add(
                "RealMemory="
                        + node.number("memoryMib")
                        + " AllocMem="
                        + node.number("memoryAllocatedMib")
                        + " FreeMem="
                        + node.freeMemoryMib()
                        + " Sockets="
                        + Math.max(1, node.number("sockets"))
                        + " Boards=1");
        lines.add(
                "State="
                        + node.state().full().toUpperCase(Locale.ROOT)
                        + " ThreadsPerCore="
                        + Math.max(1, node.number("threadsPerCore"))
                        + " TmpDisk="
                        + node.number("tmpMib")
                        + " Weight="
                        + node.weight()
                        + " Owner="
                        + (node.text("owner").isEmpty() ? "N/A" : node.text("owner"))
                        + " MCS_label=N/A");
    }

    /// What keeps a job's tasks to their share, which Slurm does not tell.
    private static void addIsolation(NodeView node, List<String> lines) {
        List<String> isolation = node.json().texts("isolation");
        lines.add("Isolation=" + (isolation.isEmpty() ? "NONE" : String.join(",", isolation)));
    }
}
