package io.berth.simulator.run;

import io.berth.simulator.run.Outcome.Spell;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// A simulation as a page of HTML that needs nothing else: the summary and two plots, of the GPUs
/// in use over time and of how many jobs waited how long.
///
/// @param report its summary
/// @param outcomes of all jobs
public record HtmlReport(RunReport report, List<Outcome> outcomes) {

    private static final int POINTS = 400;

    /// Waits are drawn from a second to this many powers of ten of it.
    private static final int DECADES = 7;

    private static final String PAGE =
            """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>Simulation of %1$s</title><style>
            body{font:15px/1.45 system-ui,sans-serif;max-width:900px;margin:2rem auto;padding:0 1rem;color:#1b1f24}
            pre{background:#f4f6f8;padding:1rem;overflow:auto;font-size:12px}
            svg{width:100%%;height:auto;font-size:12px} .grid{stroke:#d9dee3} .y{text-anchor:end} .x{text-anchor:middle}
            </style></head><body>
            <h1>Simulation of %1$s</h1>
            <p>Nothing here ran on GPUs: jobs of a trace in virtual time, decided by Berth's engine.</p>
            <pre>%2$s</pre>
            <h2>GPUs over time</h2>
            %3$s<h2>Waits</h2>
            %4$s</body></html>
            """;

    public String html() {
        return String.format(
                Locale.ROOT,
                PAGE,
                escaped(report.trace()),
                escaped(report.text()),
                overTime(),
                waits());
    }

    private String overTime() {
        List<Outcome> held = outcomes.stream().filter(it -> !it.spells().isEmpty()).toList();
        long from = held.stream().mapToLong(it -> it.job().submitMillis()).min().orElse(0);
        long to = held.stream().mapToLong(it -> it.spells().getLast().end()).max().orElse(1);
        double step = Math.max(1, to - from) / (double) POINTS;
        var used = new double[POINTS];
        var asked = new double[POINTS];
        for (Outcome it : held) {
            int gpus = it.job().gpus();
            long waitsFrom = it.job().submitMillis();
            for (Spell spell : it.spells()) {
                double start = (spell.start() - from) / step;
                spread(asked, (waitsFrom - from) / step, start, gpus);
                spread(used, start, (spell.end() - from) / step, gpus);
                waitsFrom = spell.end();
            }
        }
        var at = new double[POINTS];
        Arrays.setAll(at, i -> (i + 0.5) / POINTS);
        var plot =
                new Plot("GPUs over time", 1.5 * report.all().gpus(), "")
                        .line("GPUs in use", at, used)
                        .line("GPUs that waiting jobs ask for (cut at the top)", at, asked);
        for (int i = 0; i <= 5; i++) {
            double days = (to - from) * i / 5.0 / 86_400_000;
            plot.tick(i / 5.0, String.format(Locale.ROOT, "day %.1f", days));
        }
        return plot.svg();
    }

    /// Adds `amount` to each step for the part of it that lies between.
    private static void spread(double[] steps, double from, double to, double amount) {
        for (int step = (int) from; step < Math.min(steps.length, to); step++) {
            steps[step] += amount * (Math.min(to, step + 1.0) - Math.max(from, step));
        }
    }

    private String waits() {
        double[] waits =
                outcomes.stream()
                        .filter(Outcome::ran)
                        .mapToDouble(it -> it.waitMillis() / 1000.0)
                        .sorted()
                        .toArray();
        var at = new double[POINTS + 1];
        var part = new double[POINTS + 1];
        int within = 0;
        for (int i = 0; i <= POINTS; i++) {
            at[i] = i / (double) POINTS;
            double seconds = Math.pow(10, at[i] * DECADES);
            while (within < waits.length && waits[within] <= seconds) {
                within++;
            }
            part[i] = 100.0 * within / Math.max(1, waits.length);
        }
        var plot = new Plot("Waits", 100, " %").line("jobs that waited at most so long", at, part);
        for (int decade = 0; decade <= DECADES; decade++) {
            plot.tick(decade / (double) DECADES, "10^" + decade + " s");
        }
        return plot.svg();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
