package io.berth.simulator.trace;

import java.util.List;
import java.util.Locale;

/// Jobs and nodes as the text of files that [JobTrace] and [TraceNode] read.
public final class TraceFiles {

    private TraceFiles() {}

    public static String jobs(List<TraceJob> jobs) {
        var text =
                new StringBuilder(
                        "job_id,user,group,submit_s,duration_s,limit_s,gpus,gpu_milli,gpu_type,cpus_milli,mem_mib,nodes\n");
        for (TraceJob job : jobs) {
            text.append(
                    String.join(
                            ",",
                            job.id(),
                            job.user(),
                            job.group(),
                            seconds(job.submitMillis()),
                            seconds(job.durationMillis()),
                            seconds(job.limitMillis()),
                            String.valueOf(job.gpus()),
                            String.valueOf(job.gpuMilli()),
                            String.join("|", job.gpuTypes()),
                            String.valueOf(job.cpusMilli()),
                            String.valueOf(job.memoryMib()),
                            String.valueOf(job.nodes())));
            text.append('\n');
        }
        return text.toString();
    }

    public static String nodes(List<TraceNode> nodes) {
        var text = new StringBuilder("node_id,gpu_type,gpus,cpus_milli,mem_mib,partition\n");
        for (TraceNode node : nodes) {
            text.append(
                    String.join(
                            ",",
                            node.id(),
                            node.gpuType(),
                            String.valueOf(node.gpus()),
                            String.valueOf(node.cpusMilli()),
                            String.valueOf(node.memoryMib()),
                            node.partition()));
            text.append('\n');
        }
        return text.toString();
    }

    /// Seconds with three decimals; "" if unknown.
    public static String seconds(long millis) {
        return millis < 0 ? "" : String.format(Locale.ROOT, "%.3f", millis / 1000.0);
    }
}
