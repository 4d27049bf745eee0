package io.berth.simulator.trace;

import io.berth.simulator.trace.Table.BadField;
import io.berth.simulator.trace.Table.Row;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Reads job traces: comma-separated files with the columns `job_id,user,group,submit_s,
/// duration_s,gpus,gpu_milli,gpu_type,cpus_milli,mem_mib,nodes`, and the Standard Workload Format
/// if the name ends in `.swf`; each may be gzipped. Of the columns `job_id`, `submit_s`,
/// `duration_s` and `gpus` must be there; others are ignored.
public final class JobTrace {

    private static final List<String> NEEDED = List.of("job_id", "submit_s", "duration_s", "gpus");

    private JobTrace() {}

    /// @throws BadTrace if the file cannot be read, or has a bad line and those are refused
    public static List<TraceJob> read(Path file, BadLines bad) throws BadTrace {
        String name = file.toString();
        if (name.endsWith(".swf") || name.endsWith(".swf.gz")) {
            return StandardWorkloadFormat.read(file, bad);
        }
        var jobs = new ArrayList<TraceJob>();
        Table.read(file, NEEDED, bad, row -> jobs.add(job(row)));
        return jobs;
    }

    private static TraceJob job(Row row) throws BadField {
        String id = row.text("job_id");
        if (id.isEmpty()) {
            throw new BadField("job_id is empty");
        }
        int gpus = (int) row.number("gpus", 0, 1 << 20);
        int gpuMilli = gpus == 0 ? 0 : (int) row.number("gpu_milli", 1000, 1000);
        if (gpus > 0 && gpuMilli == 0) {
            throw new BadField("gpu_milli is 0 for a job with GPUs; 1 to 1000 are possible");
        }
        String types = row.text("gpu_type");
        return new TraceJob(
                id,
                row.text("user"),
                row.text("group"),
                row.millis("submit_s"),
                row.millis("duration_s"),
                row.millis("limit_s"),
                gpus,
                gpuMilli,
                types.isEmpty() ? List.of() : List.of(types.split("\\|")),
                (int) row.number("cpus_milli", 0, Integer.MAX_VALUE),
                row.number("mem_mib", 0, 1L << 40),
                (int) row.number("nodes", 0, 1 << 20));
    }
}
