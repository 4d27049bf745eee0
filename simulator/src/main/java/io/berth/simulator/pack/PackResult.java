package io.berth.simulator.pack;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/// What policies left unallocated of a cluster, in hundredths of its GPUs.
///
/// @param gpus the cluster's
/// @param lowerBounds by seed: less than that no policy can leave, not even one that knows all
///   arrivals and refuses some; from the GPU demands alone
public record PackResult(
        int jobs, int nodes, long gpus, List<Unallocated> lowerBounds, List<ByPolicy> policies) {

    /// @param at100 when the GPUs that all arrivals asked for make up 100 % of the cluster's
    /// @param at130 the same at 130 %; not a number if the order ends before
    public record Unallocated(int seed, double at100, double at130) {}

    public record ByPolicy(String policy, List<Unallocated> bySeed) {}

    private static double mean(List<Unallocated> bySeed, ToDoubleFunction<Unallocated> at) {
        return bySeed.stream().mapToDouble(at).average().orElse(Double.NaN);
    }

    public String text(Path list) {
        var text = new StringBuilder();
        text.append(list.getFileName()).append(": ").append(jobs).append(" jobs, ");
        text.append(nodes).append(" nodes, ").append(gpus).append(" GPUs; ");
        text.append(lowerBounds.size()).append(" seeds; simulated\n");
        text.append(
                "unallocated % when the GPUs asked for so far are   100 %    130 %   by seed\n");
        for (ByPolicy policy : policies) {
            text.append(line(policy.policy(), policy.bySeed()));
        }
        return text.append(line("lower bound", lowerBounds)).toString();
    }

    private static String line(String name, List<Unallocated> bySeed) {
        var line = new StringBuilder();
        line.append(
                String.format(
                        Locale.ROOT,
                        "%-48s %7.2f  %7.2f  ",
                        name,
                        mean(bySeed, Unallocated::at100),
                        mean(bySeed, Unallocated::at130)));
        for (Unallocated one : bySeed) {
            line.append(
                    String.format(
                            Locale.ROOT, " %d: %.2f/%.2f", one.seed(), one.at100(), one.at130()));
        }
        return line.append('\n').toString();
    }

    public String json(Path list) {
        var text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.useDefaultPrettyPrinter();
            json.writeStartObject();
            json.writeStringField("list", list.getFileName().toString());
            json.writeBooleanField("simulated", true);
            json.writeNumberField("jobs", jobs);
            json.writeNumberField("nodes", nodes);
            json.writeNumberField("gpus", gpus);
            json.writeArrayFieldStart("policies");
            for (ByPolicy policy : policies) {
                json.writeStartObject();
                json.writeStringField("policy", policy.policy());
                write(json, "unallocated_percent", policy.bySeed());
                write(json, "lower_bound_percent", lowerBounds);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text + "\n";
    }

    private static void write(JsonGenerator json, String name, List<Unallocated> bySeed)
            throws IOException {
        json.writeObjectFieldStart(name);
        numbers(json, mean(bySeed, Unallocated::at100), mean(bySeed, Unallocated::at130));
        json.writeArrayFieldStart("by_seed");
        for (Unallocated one : bySeed) {
            json.writeStartObject();
            json.writeNumberField("seed", one.seed());
            numbers(json, one.at100(), one.at130());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void numbers(JsonGenerator json, double at100, double at130) throws IOException {
        json.writeFieldName("100");
        number(json, at100);
        json.writeFieldName("130");
        number(json, at130);
    }

    private static void number(JsonGenerator json, double percent) throws IOException {
        if (Double.isNaN(percent)) {
            json.writeNull();
        } else {
            json.writeNumber(Math.round(percent * 1000) / 1000.0);
        }
    }
}
