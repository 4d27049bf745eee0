package io.berth.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// `scontrol listpids`: the processes of jobs on this machine, as far as the caller may read their
/// environment, which is where each carries its job, step and task: his own, of root all.
///
/// Source: scontrol(1) of Slurm 22.05.
final class JobPids {
    private static final String FORMAT = "%-8s %-8s %-8s %-7s %-8s\n";

    private final Path proc;

    /// @param proc where processes show, `/proc`
    JobPids(Path proc) {
        this.proc = proc;
    }

    /// @param step `batch`, or a number
    private record Row(long pid, String job, String step, String local, String global) {}

    /// @param asked `JOBID`, `JOBID.STEP`, or `*` or nothing for all
    String table(List<String> asked) throws CommandFailure {
        if (asked.size() > 1) {
            throw new CommandFailure(1, "too many arguments for keyword:listpids\n");
        }
        String wanted = asked.isEmpty() ? "*" : asked.getFirst();
        if (!wanted.matches("\\*|[0-9]+(\\.([0-9]+|batch))?")) {
            throw new CommandFailure(1, "Invalid job id: " + wanted + "\n");
        }
        List<Row> rows =
                rows().stream()
                        .filter(it ->
                                wanted.equals("*")
                                        || wanted.equals(it.job())
                                        || wanted.equals(it.job() + "." + it.step()))
                        .toList();
        if (rows.isEmpty()) {
            throw new CommandFailure(
                    1,
                    wanted.equals("*")
                            ? "No job steps exist on this node.\n"
                            : "Job %s%s does not exist on this node.\n"
                                    .formatted(wanted.contains(".") ? "step " : "", wanted));
        }
        var text = new StringBuilder(row("PID", "JOBID", "STEPID", "LOCALID", "GLOBALID"));
        rows.forEach(it ->
                text.append(
                        row(
                                Long.toString(it.pid()),
                                it.job(),
                                it.step(),
                                it.local(),
                                it.global())));
        return text.toString();
    }

    /// What a process has in its environment is its user's word.
    private static String row(String... columns) {
        return FORMAT.formatted(Arrays.stream(columns).map(Printable::of).toArray());
    }

    private List<Row> rows() throws CommandFailure {
        var rows = new ArrayList<Row>();
        try (Stream<Path> all = Files.list(proc)) {
            for (Path process : all.toList()) {
                String name = process.getFileName().toString();
                Map<String, String> variables =
                        name.matches("[1-9][0-9]*") ? variables(process) : Map.of();
                String job = variables.getOrDefault("SLURM_JOB_ID", "");
                // The shell of an allocation, on a login host, has no node.
                if (!job.isEmpty() && variables.containsKey("SLURMD_NODENAME")) {
                    rows.add(
                            new Row(
                                    Long.parseLong(name),
                                    job,
                                    variables.getOrDefault("SLURM_STEP_ID", "batch"),
                                    variables.getOrDefault("SLURM_LOCALID", "-"),
                                    variables.getOrDefault("SLURM_PROCID", "-")));
                }
            }
        } catch (IOException e) {
            throw CommandFailure.error("scontrol", "cannot list the processes in " + proc);
        }
        rows.sort(Comparator.comparing(Row::job).thenComparingLong(Row::pid));
        return rows;
    }

    /// None of a process that is gone, or is another's.
    private static Map<String, String> variables(Path process) {
        var variables = new HashMap<String, String>();
        try {
            var text =
                    new String(
                            Files.readAllBytes(process.resolve("environ")),
                            StandardCharsets.ISO_8859_1);
            Arrays.stream(text.split("\0"))
                    .filter(it -> it.indexOf('=') > 0)
                    .forEach(it -> {
                        int equals = it.indexOf('=');
                        variables.putIfAbsent(it.substring(0, equals), it.substring(equals + 1));
                    });
            return variables;
        } catch (IOException e) {
            return Map.of();
        }
    }
}
