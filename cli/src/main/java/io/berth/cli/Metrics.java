package io.berth.cli;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a service says of itself at `/q/metrics`, in the text format of Prometheus.
record Metrics(List<Sample> samples) {

    private static final int TIMEOUT_MILLIS = 10_000;
    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)})? ([^ ]+)(?: -?\\d+)?");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_]\\w*)=\"((?:[^\"\\\\]|\\\\.)*)\",?");

    /// One number.
    record Sample(String name, Map<String, String> labels, double value) {

        /// The value of a label, "" if it has none of that name.
        String label(String of) {
            return labels.getOrDefault(of, "");
        }
    }

    /// @param service its address
    /// @throws CommandFailure if it does not answer
    static Metrics of(String command, String service) throws CommandFailure {
        String url = service + "/q/metrics";
        try {
            var connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
            connection.setConnectTimeout(TIMEOUT_MILLIS);
            connection.setReadTimeout(TIMEOUT_MILLIS);
            connection.setRequestProperty("Accept", "text/plain");
            try (InputStream in = connection.getInputStream()) {
                return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw CommandFailure.error(
                    command,
                    e instanceof ConnectException
                            ? "no answer from %s (connection refused): is the mesh up? ('berth up')"
                                    .formatted(url)
                            : "no metrics from " + url + ": " + e.getMessage());
        }
    }

    static Metrics parse(String text) {
        return new Metrics(
                text.lines()
                        .filter(line -> !line.startsWith("#"))
                        .map(SAMPLE::matcher)
                        .filter(Matcher::matches)
                        .map(it -> new Sample(it.group(1), labels(it.group(2)), value(it.group(3))))
                        .toList());
    }

    private static Map<String, String> labels(@Nullable String text) {
        var labels = new TreeMap<String, String>();
        Matcher label = LABEL.matcher(text == null ? "" : text);
        while (label.find()) {
            labels.put(label.group(1), label.group(2));
        }
        return labels;
    }

    /// NaN and infinity count as nothing.
    private static double value(String text) {
        try {
            double number = Double.parseDouble(text.replace("Inf", "Infinity"));
            return Double.isFinite(number) ? number : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /// The sum of the numbers of that name, as a whole number.
    long sum(String name, Predicate<Sample> which) {
        return Math.round(number(name, which));
    }

    /// The sum of all numbers of that name; 0 if there is none.
    double number(String name) {
        return number(name, _ -> true);
    }

    /// The sum of the numbers of that name; 0 if there is none.
    double number(String name, Predicate<Sample> which) {
        return samples.stream()
                .filter(it -> it.name().equals(name) && which.test(it))
                .mapToDouble(Sample::value)
                .sum();
    }
}
