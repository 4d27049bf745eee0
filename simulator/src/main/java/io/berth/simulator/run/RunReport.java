package io.berth.simulator.run;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;

/// A simulation's summary, of all jobs and by group, as text or JSON.
///
/// @param groups empty unless each group had a cluster of its own
/// @param accounts empty unless that was asked for
public record RunReport(
        String trace, String rules, Summary all, List<Summary> groups, List<AccountUse> accounts) {

    public String text() {
        var text = new StringBuilder();
        line(
                text,
                "%s: %d jobs on %d nodes with %d GPUs, simulated; %s",
                trace,
                all.jobs(),
                all.nodes(),
                all.gpus(),
                rules);
        return text.append(table()).toString();
    }

    /// What it came to, without the line that says what was run.
    public String table() {
        var text = new StringBuilder();
        if (all.never() > 0) {
            line(text, "%d more jobs fit on no nodes of the list and never ran", all.never());
        }
        line(text, "%-14s %14s %14s %14s %14s %14s", "", "mean", "p50", "p95", "p99", "max");
        distribution(text, "wait s", all.waits());
        distribution(text, "JCT s", all.completion());
        distribution(text, "slowdown", all.slowdown());
        distribution(text, "overtaken by", all.overtaken());
        line(
                text,
                "GPUs in use %.1f %%, free while a waiting job asked for no more %.1f %%, makespan"
                        + " %.0f s, backfilled %d",
                all.use(),
                all.fragmented(),
                all.makespan(),
                all.backfilled());
        if (all.gaveWay() > 0) {
            line(
                    text,
                    "%d runs gave way to other jobs, %.2f GPU-hours were lost with them",
                    all.gaveWay(),
                    all.lostGpuHours());
        }
        if (all.cancelled() > 0) {
            line(text, "%d of their jobs were cancelled by that", all.cancelled());
        }
        if (all.stoodStill() > 0) {
            line(
                    text,
                    "%d jobs stood still for others, for %.2f hours in sum",
                    all.stoodStill(),
                    all.stillHours());
        }
        if (all.promised() > 0) {
            line(
                    text,
                    "%d jobs were told an expected start: %.2f %% started by then, half of these"
                            + " %.0f s before or more%s",
                    all.promised(),
                    all.kept(),
                    all.early().p50(),
                    all.late().max() == 0 ? "" : lateness());
        }
        if (!groups.isEmpty()) {
            byGroup(text);
        }
        if (!accounts.isEmpty()) {
            byAccount(text);
        }
        return text.toString();
    }

    private void byAccount(StringBuilder text) {
        line(
                text,
                "%-14s %8s %12s %12s %9s %9s %14s %20s",
                "account",
                "jobs",
                "wait mean",
                "wait p95",
                "shares %",
                "of use %",
                "hours it wanted",
                "% of GPUs held then");
        for (AccountUse it : accounts) {
            line(
                    text,
                    "%-14s %8d %12.1f %12.1f %9.1f %9.1f %15.1f %19.1f",
                    it.account(),
                    it.jobs(),
                    it.waits().mean(),
                    it.waits().p95(),
                    it.shares(),
                    it.used(),
                    it.wanting(),
                    it.held());
        }
    }

    private String lateness() {
        return String.format(
                Locale.ROOT,
                "; the others %.0f s late at the median, %.0f s at p95",
                all.late().p50(),
                all.late().p95());
    }

    private void byGroup(StringBuilder text) {
        line(
                text,
                "%-14s %6s %8s %12s %12s %12s %12s %10s %7s %12s",
                "group",
                "nodes",
                "jobs",
                "wait mean",
                "wait p95",
                "JCT mean",
                "JCT p99",
                "slowdown",
                "use %",
                "makespan");
        for (Summary group : groups) {
            line(
                    text,
                    "%-14s %6d %8d %12.1f %12.1f %12.1f %12.1f %10.2f %7.1f %12.0f",
                    group.group(),
                    group.nodes(),
                    group.jobs(),
                    group.waits().mean(),
                    group.waits().p95(),
                    group.completion().mean(),
                    group.completion().p99(),
                    group.slowdown().mean(),
                    group.use(),
                    group.makespan());
        }
    }

    private static void distribution(StringBuilder text, String name, Distribution of) {
        line(
                text,
                "%-14s %14.1f %14.1f %14.1f %14.1f %14.1f",
                name,
                of.mean(),
                of.p50(),
                of.p95(),
                of.p99(),
                of.max());
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values).stripTrailing()).append('\n');
    }

    public String json() {
        var text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            json.writeStringField("trace", trace);
            json.writeStringField("rules", rules);
            json.writeBooleanField("simulated", true);
            fields(json, all);
            json.writeArrayFieldStart("groups");
            for (Summary group : groups) {
                json.writeStartObject();
                json.writeStringField("group", group.group());
                fields(json, group);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("accounts");
            for (AccountUse account : accounts) {
                account(json, account);
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text + "\n";
    }

    private static void account(JsonGenerator json, AccountUse of) throws IOException {
        json.writeStartObject();
        json.writeStringField("account", of.account());
        json.writeNumberField("jobs", of.jobs());
        distribution(json, "wait_s", of.waits());
        number(json, "shares_percent", of.shares());
        number(json, "used_percent", of.used());
        number(json, "wanting_h", of.wanting());
        number(json, "held_percent", of.held());
        json.writeEndObject();
    }

    private static void fields(JsonGenerator json, Summary of) throws IOException {
        json.writeNumberField("nodes", of.nodes());
        json.writeNumberField("gpus", of.gpus());
        json.writeNumberField("jobs", of.jobs());
        json.writeNumberField("never_ran", of.never());
        distribution(json, "wait_s", of.waits());
        distribution(json, "jct_s", of.completion());
        distribution(json, "slowdown", of.slowdown());
        distribution(json, "overtaken", of.overtaken());
        number(json, "use_percent", of.use());
        number(json, "fragmented_percent", of.fragmented());
        number(json, "makespan_s", of.makespan());
        json.writeNumberField("backfilled", of.backfilled());
        json.writeNumberField("gave_way", of.gaveWay());
        number(json, "lost_gpu_hours", of.lostGpuHours());
        json.writeNumberField("cancelled", of.cancelled());
        json.writeNumberField("stood_still", of.stoodStill());
        number(json, "still_hours", of.stillHours());
        json.writeObjectFieldStart("expected_starts");
        json.writeNumberField("jobs", of.promised());
        number(json, "kept_percent", of.kept());
        distribution(json, "early_s", of.early());
        distribution(json, "late_s", of.late());
        json.writeEndObject();
    }

    private static void distribution(JsonGenerator json, String name, Distribution of)
            throws IOException {
        json.writeObjectFieldStart(name);
        number(json, "mean", of.mean());
        number(json, "p50", of.p50());
        number(json, "p95", of.p95());
        number(json, "p99", of.p99());
        number(json, "max", of.max());
        json.writeEndObject();
    }

    private static void number(JsonGenerator json, String name, double number) throws IOException {
        json.writeNumberField(name, Math.round(number * 1000) / 1000.0);
    }
}
