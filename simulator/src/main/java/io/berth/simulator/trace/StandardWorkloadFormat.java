package io.berth.simulator.trace;

import io.berth.simulator.trace.Table.BadField;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Reads traces of the Parallel Workloads Archive: 18 numbers a line, -1 for what is unknown, lines
/// that begin with `;` are comments. A processor counts as one GPU, as all that a job asks for is
/// scheduled by its processors alone.
///
/// Source: Feitelson, "The Standard Workload Format", version 2.2.
final class StandardWorkloadFormat {

    private static final int FIELDS = 18;
    private static final int JOB = 0;
    private static final int SUBMIT = 1;
    private static final int RUN_TIME = 3;
    private static final int ALLOCATED = 4;
    private static final int REQUESTED = 7;
    private static final int REQUESTED_TIME = 8;
    private static final int USER = 11;
    private static final int QUEUE = 14;

    private StandardWorkloadFormat() {}

    static List<TraceJob> read(Path file, BadLines bad) throws BadTrace {
        var jobs = new ArrayList<TraceJob>();
        try (BufferedReader lines = Table.open(file)) {
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                if (line.isBlank() || line.stripLeading().startsWith(";")) {
                    continue;
                }
                try {
                    jobs.add(job(line.strip().split("\\s+")));
                } catch (BadField e) {
                    bad.found(file.toString(), number, String.valueOf(e.getMessage()));
                }
            }
        } catch (IOException e) {
            throw Table.unreadable(file, e);
        }
        return jobs;
    }

    private static TraceJob job(String[] fields) throws BadField {
        if (fields.length != FIELDS) {
            throw new BadField(fields.length + " fields; a job has " + FIELDS);
        }
        var numbers = new long[FIELDS];
        for (int i = 0; i < FIELDS; i++) {
            numbers[i] = number(fields[i], i);
        }
        long processors = numbers[REQUESTED] > 0 ? numbers[REQUESTED] : numbers[ALLOCATED];
        if (processors <= 0 || processors > 1 << 20) {
            throw new BadField("neither requested nor allocated processors are known");
        }
        return new TraceJob(
                Long.toString(numbers[JOB]),
                known(numbers[USER]),
                known(numbers[QUEUE]),
                millis(numbers[SUBMIT]),
                millis(numbers[RUN_TIME]),
                millis(numbers[REQUESTED_TIME]),
                (int) processors,
                1000,
                List.of(),
                0,
                0,
                0);
    }

    private static long number(String field, int place) throws BadField {
        try {
            return (long) Double.parseDouble(field);
        } catch (NumberFormatException e) {
            throw new BadField("field " + (place + 1) + " is '" + field + "', not a number");
        }
    }

    private static String known(long number) {
        return number < 0 ? "" : Long.toString(number);
    }

    private static long millis(long seconds) {
        return seconds < 0 ? -1 : seconds * 1000;
    }
}
