package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What Grafana and Prometheus are told to ask for is what the services publish: the metrics of
/// docs/operating.md, which JobsMeshTest compares with those of a running mesh.
final class DashboardTest {

    private static final Pattern METRIC =
            Pattern.compile("\\b((?:berth|training)_\\w+?)(_bucket|_count|_sum)?\\b(?!\\w)");
    private static final Pattern MATCHERS = Pattern.compile("\\{([^}]*)}");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(?:=~|!=|!~|=)\\s*\"");
    private static final Pattern GROUPED = Pattern.compile("\\b(?:by|without)\\s*\\(([^)]*)\\)");
    private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");

    private static Map<String, Set<String>> documented() throws IOException {
        var all = new TreeMap<String, Set<String>>();
        for (String service : List.of("submit", "priority", "placement", "accounting", "agent")) {
            all.putAll(Metrics.documented(service));
        }
        return all;
    }

    private static Stream<String> words(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(it -> it.group(1));
    }

    /// Metrics that do not exist, and labels that none of the expression's metrics has.
    private static Set<String> wrong(String expression, String legend) throws IOException {
        Map<String, Set<String>> documented = documented();
        var wrong = new TreeSet<String>();
        var labels = new TreeSet<String>();
        boolean buckets = false;
        for (MatchResult metric : METRIC.matcher(expression).results().toList()) {
            Set<String> its = documented.get(metric.group(1));
            if (its == null) {
                wrong.add(metric.group());
            } else {
                labels.addAll(its);
            }
            buckets |= "_bucket".equals(metric.group(2));
        }
        if (buckets) {
            labels.add("le");
        }
        var asked = new TreeSet<String>();
        words(MATCHERS, expression).flatMap(it -> words(MATCHER, it)).forEach(asked::add);
        words(GROUPED, expression).flatMap(it -> Stream.of(it.split(",\\s*"))).forEach(asked::add);
        words(LEGEND, legend).forEach(asked::add);
        asked.removeAll(labels);
        wrong.addAll(asked);
        return wrong;
    }

    @Test
    void every_panel_asks_for_metrics_and_labels_that_there_are() throws IOException {
        JsonNode board =
                Json.mapper().readTree(TestMesh.ROOT.resolve("k8s/dashboard.json").toFile());

        List<JsonNode> targets = board.path("panels").findValues("expr");
        assertThat(targets).hasSizeGreaterThan(10);
        for (JsonNode panel : board.path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                assertThat(
                                wrong(
                                        target.path("expr").asText(),
                                        target.path("legendFormat").asText()))
                        .as(panel.path("title").asText())
                        .isEmpty();
            }
        }
        for (JsonNode variable : board.at("/templating/list")) {
            words(METRIC, variable.path("definition").asText())
                    .forEach(it ->
                            assertThat(it).isEqualTo("training_job_scheduling_duration_seconds"));
        }
    }

    @Test
    void every_alert_asks_for_metrics_and_labels_that_there_are() throws IOException {
        List<String> alerts =
                Files.readAllLines(TestMesh.ROOT.resolve("docs/operating.md")).stream()
                        .dropWhile(it -> !it.startsWith("Worth an alert"))
                        .takeWhile(it -> !it.startsWith("## "))
                        .filter(it -> it.startsWith("| `"))
                        .map(it -> it.substring(3, it.indexOf('`', 3)).replace("\\|", "|"))
                        .toList();

        assertThat(alerts).hasSizeGreaterThan(5);
        for (String alert : alerts) {
            assertThat(wrong(alert, "")).as(alert).isEmpty();
        }
    }

    @Test
    void a_metric_or_a_label_that_there_is_not_is_noticed() throws IOException {
        assertThat(wrong("sum by (le, user) (rate(berth_jobs_bucket{state=\"RUNNING\"}[1m]))", ""))
                .containsExactly("user");
        assertThat(wrong("berth_job{queue=\"a\"} + berth_nodes", "{{node}}"))
                .containsExactly("berth_job", "node", "queue");
    }
}
