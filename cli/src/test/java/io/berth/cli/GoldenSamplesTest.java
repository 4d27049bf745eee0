package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.cli.CommandRun.Outcome;
import io.berth.cli.GoldenDifferences.Fields;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every output of a real Slurm in `samples`, line by line: the cluster that it was made on,
/// rebuilt from it, is printed by our commands. Where ours differ, [GoldenDifferences] says so and
/// why.
final class GoldenSamplesTest {

    private static final Path FOLDER = RecordedCluster.folder().resolve("samples");
    private static final String CUT = "... (cut)";

    /// How an output is compared.
    private enum Kind {
        /// Line by line.
        LINES,
        /// We tell of less: each of our lines begins as one of Slurm's does.
        TITLES,
        /// Each job's columns by their names.
        COLUMNS,
        /// Each item's fields, and the values that both have.
        JSON,
        /// It is no output.
        NONE
    }

    /// @param command that made it
    /// @param at when, in seconds after ten o'clock
    private record Sample(Kind kind, String command, long at) {

        static Sample of(String command) {
            return new Sample(Kind.LINES, command, 66);
        }

        Sample at(long seconds) {
            return new Sample(kind, command, seconds);
        }

        Sample as(Kind other) {
            return new Sample(other, command, at);
        }
    }

    private static final String OPTIONS_OF_TRES =
            "JobID:20,UserName:20,tres-per-node:20,tres-alloc:60,Reason:20";

    private static final Map<String, Sample> SAMPLES =
            Map.ofEntries(
                    Map.entry("README", Sample.of("").as(Kind.NONE)),
                    Map.entry("seed-sshare.txt", Sample.of("").as(Kind.NONE)),
                    Map.entry("sacct-a.txt", Sample.of("sacct -a")),
                    Map.entry(
                            "sacct-all-P.txt",
                            Sample.of("sacct -a -P -o ALL").at(70).as(Kind.COLUMNS)),
                    Map.entry("sacct-b.txt", Sample.of("sacct -a -b")),
                    Map.entry("sacct-e.txt", Sample.of("sacct -e").as(Kind.TITLES)),
                    Map.entry(
                            "sacct-tres.txt",
                            Sample.of(
                                    "sacct -a -o JobID,JobName,User,Account,AllocTRES%60,ReqTRES%60,State,ExitCode,Elapsed")),
                    Map.entry("sacct.json", Sample.of("sacct -a --json").as(Kind.JSON)),
                    Map.entry(
                            "sacctmgr-assoc-tree.txt",
                            Sample.of("sacctmgr show assoc tree format=account,user,share")),
                    Map.entry(
                            "scontrol-assoc_mgr.txt",
                            Sample.of("scontrol show assoc_mgr flags=users,assoc").as(Kind.TITLES)),
                    Map.entry(
                            "scontrol-config.txt",
                            Sample.of("scontrol show config").at(73).as(Kind.TITLES)),
                    Map.entry("scontrol-job-all.txt", Sample.of("scontrol show job")),
                    Map.entry(
                            "scontrol-job-running-d.txt",
                            Sample.of("scontrol -d show job 1015").at(73)),
                    Map.entry(
                            "scontrol-job-running.txt", Sample.of("scontrol show job 1015").at(73)),
                    Map.entry("scontrol-node-d.txt", Sample.of("scontrol -d show node node01")),
                    Map.entry("scontrol-node-o.txt", Sample.of("scontrol -o show node")),
                    Map.entry("scontrol-node.txt", Sample.of("scontrol show node node01")),
                    Map.entry("scontrol-partition.txt", Sample.of("scontrol show partition")),
                    Map.entry("scontrol-ping.txt", Sample.of("scontrol ping")),
                    Map.entry("scontrol-topology.txt", Sample.of("scontrol show topology")),
                    Map.entry("sdiag.txt", Sample.of("sdiag").at(73).as(Kind.TITLES)),
                    Map.entry("seed-sshare-al.txt", Sample.of("sshare -a -l")),
                    Map.entry("seed-sshare-alP.txt", Sample.of("sshare -a -l -P")),
                    Map.entry("sinfo-N.txt", Sample.of("sinfo -N")),
                    Map.entry("sinfo-Nl.txt", Sample.of("sinfo -Nl")),
                    Map.entry(
                            "sinfo-O-gres.txt",
                            Sample.of("sinfo -O NodeList:20,Gres:30,GresUsed:40 -p training")),
                    Map.entry("sinfo-R.txt", Sample.of("sinfo -R")),
                    Map.entry("sinfo-l.txt", Sample.of("sinfo -l")),
                    Map.entry("sinfo-o-gres.txt", Sample.of("sinfo -p training -o %G_%C_%t")),
                    Map.entry("sinfo-s.txt", Sample.of("sinfo -s")),
                    Map.entry("sinfo.json", Sample.of("sinfo --json").as(Kind.JSON)),
                    Map.entry("sinfo.txt", Sample.of("sinfo")),
                    Map.entry("sprio-l.txt", Sample.of("sprio -l")),
                    Map.entry("sprio-nl.txt", Sample.of("sprio -n -l")),
                    Map.entry("sprio-w.txt", Sample.of("sprio -w")),
                    Map.entry("sprio.txt", Sample.of("sprio")),
                    Map.entry("squeue-O.txt", Sample.of("squeue -O " + OPTIONS_OF_TRES)),
                    Map.entry("squeue-l.txt", Sample.of("squeue -l")),
                    Map.entry(
                            "squeue-o-seed.txt",
                            Sample.of("squeue -o %.18i_%.9P_%.8j_%.8u_%.2t_%.10M_%.9l_%.6D_%R")),
                    Map.entry("squeue-r.txt", Sample.of("squeue -r")),
                    Map.entry("squeue-s.txt", Sample.of("squeue -s")),
                    Map.entry("squeue-start.txt", Sample.of("squeue --start")),
                    Map.entry(
                            "squeue.json", Sample.of("squeue --json -t all").at(73).as(Kind.JSON)),
                    Map.entry("squeue.txt", Sample.of("squeue")),
                    Map.entry("sshare-a.txt", Sample.of("sshare -a")));

    static Stream<String> files() throws IOException {
        return names(FOLDER);
    }

    private static Stream<String> names(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Stream.of("README.md");
        }
        try (var all = Files.list(folder)) {
            return all.map(it -> it.getFileName().toString()).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void a_recorded_output_is_ours(String file) throws IOException {
        assumeTrue(Files.isDirectory(FOLDER), "no recordings in " + FOLDER);
        assertThat(SAMPLES).as("the command that made samples/%s", file).containsKey(file);
        Sample sample = Objects.requireNonNull(SAMPLES.get(file));
        if (sample.kind() == Kind.NONE) {
            return;
        }
        var cluster = new RecordedCluster(FOLDER);
        try (FakeMesh mesh = cluster.mesh()) {
            if (file.equals("sacct.json")) {
                mesh.on(
                        "GET",
                        "/v1/accounting/jobs",
                        RecordedCluster.accounted(cluster.json(file)).toString());
            }
            Outcome ours = run(mesh, sample);
            switch (sample.kind()) {
                case LINES -> compareLines(file, cluster.lines(file), ours);
                case TITLES -> compareTitles(file, cluster.lines(file), ours);
                case COLUMNS -> compareColumns(file, cluster, ours);
                case JSON -> compareJson(file, cluster.json(file), ours);
                case NONE -> {}
            }
        }
    }

    @Test
    void no_difference_is_named_that_is_none() throws IOException {
        assumeTrue(Files.isDirectory(FOLDER), "no recordings in " + FOLDER);
        var cluster = new RecordedCluster(FOLDER);
        for (GoldenDifferences.Text difference : GoldenDifferences.TEXTS) {
            var texts = new StringBuilder();
            for (String file : files().toList()) {
                if (difference.files().matcher(file).matches()) {
                    texts.append(String.join("\n", cluster.lines(file))).append('\n');
                }
            }
            assertThat(difference.slurms().matcher(texts).find())
                    .as("%s: %s", difference.files(), difference.slurms())
                    .isTrue();
        }
    }

    /// Whatever else is recorded is read by some test, or it is said why not.
    @ParameterizedTest
    @MethodSource("others")
    void every_recording_has_its_test(String file) {
        assertThat(OTHERS.keySet()).as("who reads %s", file).anyMatch(file::matches);
    }

    private static final Map<String, String> OTHERS =
            Map.of(
                    "README.md", "says what the others are",
                    "samples", "this test",
                    "errors-other-commands\\.json", "GoldenErrorsTest",
                    "sbatch-(array|dependency|gres|mem|misc|time)\\.json", "GoldenSbatchTest",
                    "sbatch-unheld\\.json", "GoldenUnheldTest of the gateway",
                    "fairtree-.*\\.json", "FairTreeGoldenTest",
                    "slurm-conf", "ImportSlurmTest",
                    "job-environment\\.json",
                            "JobEnvironmentGoldenTest, of scripts; SrunTest names those of steps",
                    "backfill\\.txt", "BackfillGoldenTest, which has its numbers",
                    "manifests", "no test: Kubernetes' manifests are not imported");

    static Stream<String> others() throws IOException {
        return names(RecordedCluster.folder());
    }

    private static Outcome run(FakeMesh mesh, Sample sample) {
        List<String> words = new ArrayList<>();
        for (String word : sample.command().split(" ")) {
            words.add(word.replace('_', word.contains("%") ? ' ' : '_'));
        }
        Outcome outcome =
                new CommandRun(mesh)
                        .at(CommandRun.NOW + (sample.at() - 66) * 1000)
                        .with("BERTH_PLACEMENT_URL", mesh.url())
                        .run(words);
        // Slurm names the host.
        return new Outcome(
                outcome.exitCode(), outcome.out().replace(mesh.url(), "vm"), outcome.err());
    }

    private static void compareLines(String file, List<String> recorded, Outcome ours) {
        assertThat(ours.err()).isEmpty();
        List<String> lines = ours.out().lines().toList();
        int cut = recorded.indexOf(CUT);
        if (cut < 0) {
            assertThat(lines).isEqualTo(GoldenDifferences.of(file, recorded));
            return;
        }
        List<String> first = GoldenDifferences.of(file, recorded.subList(0, cut));
        List<String> last = GoldenDifferences.of(file, recorded.subList(cut + 1, recorded.size()));
        assertThat(lines.subList(0, first.size())).isEqualTo(first);
        assertThat(lines.subList(lines.size() - last.size(), lines.size())).isEqualTo(last);
    }

    /// Names of settings, or of columns, with what parts them from their values.
    private static void compareTitles(String file, List<String> recorded, Outcome ours) {
        var known = new TreeSet<>(titles(recorded));
        known.addAll(GoldenDifferences.OWN_TITLES);
        List<String> mine = new ArrayList<>(titles(ours.out().lines().toList()));
        int cut = recorded.indexOf(CUT);
        if (cut > 0) {
            // Of settings in the order of their names a part is missing.
            mine.removeIf(it ->
                    it.compareToIgnoreCase(recorded.get(cut - 1)) > 0
                            && it.compareToIgnoreCase(recorded.get(cut + 1)) < 0);
        }
        assertThat(ours.err()).isEmpty();
        assertThat(mine).as(file).isNotEmpty().isSubsetOf(known);
    }

    private static List<String> titles(List<String> lines) {
        var titles = new ArrayList<String>();
        for (String line : lines) {
            if (line.contains("=") || line.contains(":")) {
                titles.add(
                        line.replaceFirst("(=|: ).*", "$1").replaceFirst(" at .*| as of .*", ""));
            } else {
                titles.addAll(List.of(line.strip().split(" +")));
            }
        }
        return titles.stream().filter(it -> !it.isBlank()).toList();
    }

    private static void compareColumns(String file, RecordedCluster cluster, Outcome ours)
            throws IOException {
        var rows = new HashMap<String, Map<String, String>>();
        for (Map<String, String> row : RecordedCluster.rows(ours.out().lines().toList())) {
            rows.put(row.getOrDefault("JobID", ""), row);
        }
        Fields differences = Objects.requireNonNull(GoldenDifferences.FIELDS.get(file));
        var other = new TreeSet<String>();
        int compared = 0;
        for (Map<String, String> recorded : RecordedCluster.rows(cluster.lines(file))) {
            Map<String, String> mine = rows.get(recorded.get("JobID"));
            if (mine == null) {
                continue;
            }
            compared++;
            assertThat(mine.keySet()).containsAll(recorded.keySet());
            recorded.forEach((column, value) -> {
                if (!value.equals(mine.get(column))) {
                    other.add(column);
                }
            });
        }
        // All but a step whose job's line was cut off.
        assertThat(compared).isEqualTo(cluster.lines(file).size() - 3);
        assertThat(other).containsExactlyInAnyOrderElementsOf(differences.other());
    }

    private static void compareJson(String file, JsonNode recorded, Outcome ours)
            throws IOException {
        JsonNode told = new ObjectMapper().readTree(ours.out());
        String items = recorded.has("nodes") ? "nodes" : "jobs";
        assertThat(told.get("meta").properties().stream().map(Map.Entry::getKey))
                .containsExactly("plugin", "Slurm");
        assertThat(told.get("meta").get("plugin").get("type"))
                .isEqualTo(recorded.get("meta").get("plugin").get("type"));
        assertThat(told.get("errors")).isEqualTo(recorded.get("errors"));
        Fields differences = Objects.requireNonNull(GoldenDifferences.FIELDS.get(file));
        var left = new TreeSet<String>();
        var own = new TreeSet<String>();
        var other = new TreeSet<String>();
        for (JsonNode item : recorded.get(items)) {
            compareValues("", item, same(told.get(items), item), new Found(left, own, other));
        }
        assertThat(left).as("left out").containsExactlyInAnyOrderElementsOf(differences.left());
        assertThat(own).as("our own").containsExactlyInAnyOrderElementsOf(differences.own());
        assertThat(other)
                .as("other values")
                .containsExactlyInAnyOrderElementsOf(differences.other());
    }

    /// Paths of fields that differ, as `time/limit`; those of a list's items are `steps/state`.
    private record Found(Set<String> left, Set<String> own, Set<String> other) {}

    private static void compareValues(String path, JsonNode recorded, JsonNode mine, Found found) {
        if (recorded.isObject() && mine.isObject()) {
            for (Map.Entry<String, JsonNode> field : recorded.properties()) {
                String below = path + field.getKey();
                JsonNode value = mine.get(field.getKey());
                if (value == null) {
                    found.left.add(below);
                } else if (field.getValue().isContainerNode() && value.isContainerNode()) {
                    compareValues(below + "/", field.getValue(), value, found);
                } else if (!value.equals(field.getValue())) {
                    found.other.add(below);
                }
            }
            for (Map.Entry<String, JsonNode> field : mine.properties()) {
                if (!recorded.has(field.getKey())) {
                    found.own.add(path + field.getKey());
                }
            }
        } else if (recorded.size() != mine.size()) {
            found.other.add(path.replaceFirst("/$", ""));

        } else {
            for (int i = 0; i < recorded.size(); i++) {
                if (recorded.get(i).isContainerNode()) {
                    compareValues(path, recorded.get(i), mine.get(i), found);
                } else if (!recorded.get(i).equals(mine.get(i))) {
                    found.other.add(path.replaceFirst("/$", ""));
                }
            }
        }
    }

    private static JsonNode same(JsonNode items, JsonNode item) {
        String id = item.has("job_id") ? "job_id" : "name";
        for (JsonNode each : items) {
            if (each.get(id).equals(item.get(id))) {
                return each;
            }
        }
        throw new AssertionError("nothing is told of " + item.get(id));
    }
}
