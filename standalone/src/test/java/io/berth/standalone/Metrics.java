package io.berth.standalone;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The metrics of our own that a service has: their names, each with its labels. Those of GPUs are
/// left out: a machine without has none.
final class Metrics {

    private static final Pattern TYPE =
            Pattern.compile("# TYPE ((?:berth_(?!gpu_)|training_)\\w+) \\w+");
    private static final Pattern SAMPLE =
            Pattern.compile("((?:berth|training)_\\w+?)(?:_bucket|_count|_sum)?(?:\\{(.*)})? \\S+");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");
    private static final Pattern ROW =
            Pattern.compile("\\| `((?:berth|training)_\\w+)` \\| ([a-z]+) \\|([^|]*)\\|.*");
    private static final Pattern WORD = Pattern.compile("`(\\w+)`");

    private Metrics() {}

    /// Of the service that listens on that port.
    static Map<String, Set<String>> of(int port) throws IOException {
        var metrics = new TreeMap<String, Set<String>>();
        var address = URI.create("http://127.0.0.1:" + port + "/q/metrics").toURL();
        var connection = address.openConnection();
        connection.setRequestProperty("Accept", "text/plain");
        try (InputStream in = connection.getInputStream()) {
            new String(in.readAllBytes(), UTF_8)
                    .lines()
                    .forEach(line -> {
                        Matcher type = TYPE.matcher(line);
                        Matcher sample = SAMPLE.matcher(line);
                        if (type.matches()) {
                            metrics.putIfAbsent(type.group(1), new TreeSet<>());
                        } else if (sample.matches() && metrics.containsKey(sample.group(1))) {
                            String labels = sample.group(2) == null ? "" : sample.group(2);
                            LABEL.matcher(labels)
                                    .results()
                                    .map(it -> it.group(1))
                                    .filter(it -> !it.equals("le"))
                                    .forEach(metrics.get(sample.group(1))::add);
                        }
                    });
        }
        metrics.keySet().removeIf(name -> name.endsWith("_max"));
        return metrics;
    }

    /// What docs/operating.md says of a service.
    static Map<String, Set<String>> documented(String service) throws IOException {
        var metrics = new TreeMap<String, Set<String>>();
        Files.readAllLines(TestMesh.ROOT.resolve("docs/operating.md"))
                .forEach(line -> {
                    Matcher row = ROW.matcher(line);
                    if (row.matches() && row.group(2).equals(service)) {
                        var labels = new TreeSet<String>();
                        WORD.matcher(row.group(3)).results().forEach(it -> labels.add(it.group(1)));
                        metrics.put(row.group(1), labels);
                    }
                });
        return metrics;
    }
}
