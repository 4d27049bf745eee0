package io.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.slurm.GetOpt.Given;
import io.berth.slurm.SbatchOption.Treatment.Refused;
import java.util.ArrayList;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Every recorded `sbatch` of a real Slurm, as far as its answer depends on the options and the
/// script alone.
final class GoldenSbatchTest {

    private static final String SCRIPT = "#!/bin/bash\ntrue\n";

    /// Answers that depend on the cluster: the gateway's part.
    private static final Set<String> CLUSTERS_OWN =
            Set.of(
                    "-p nosuch",
                    "-A nosuch",
                    "--qos=nosuch",
                    "-w nosuch",
                    "-x nosuch",
                    "--gres=foo:1",
                    "--licenses=foo:1",
                    "--reservation=foo",
                    "--test-only",
                    "--test-only -N9");

    /// Where Berth refuses what Slurm takes.
    private static final Map<String, String> NARROWER =
            Map.of(
                    "--gres=mps:800",
                            "Invalid generic resource (gres) specification: mps:800 is no part of one GPU, which has mps:1 to mps:100",
                    "--gres=mps:801",
                            "Invalid generic resource (gres) specification: mps:801 is no part of one GPU, which has mps:1 to mps:100",
                    "--priority=abc", "Invalid --priority specification",
                    "--no-kill",
                            "--no-kill is not supported yet: a job ends, or is queued again, when it loses a node",
                    "--gres-flags=enforce-binding --gres=gpu:1",
                            "--gres-flags=enforce-binding is not supported yet: disable-binding; --gpus-per-socket has a job's CPUs beside its GPUs",
                    "--array=100000",
                            "Batch job submission failed: Invalid job array specification",
                    "--array=0-100000",
                            "Batch job submission failed: Invalid job array specification",
                    "--dependency=afterburstbuffer:<J>",
                            "--dependency=afterburstbuffer is not supported yet",
                    "--dependency=afterok:-1",
                            "Batch job submission failed: Job dependency problem");

    /// What Berth takes where Slurm has another word for it.
    private static final Set<String> WIDER = Set.of("--gres=mig:1g.5gb:1");

    /// What the command does with files, before and after the options are read.
    private static final Set<String> COMMANDS_OWN = Set.of("/nosuch", "--wrap true x.sh");

    private record Outcome(int exit, String error, @Nullable SbatchRequest request) {

        static Outcome of(JsonNode golden) {
            var words = new ArrayList<String>();
            golden.get("args").forEach(word -> words.add(known(word.asText())));
            var environment = new TreeMap<String, String>();
            golden.path("env")
                    .properties()
                    .forEach(e -> environment.put(e.getKey(), e.getValue().asText()));
            String script = golden.has("script") ? golden.get("script").asText() : SCRIPT;
            try {
                SbatchLine line = Sbatch.commandLine(words);
                SbatchRequest request =
                        Sbatch.request(
                                line,
                                environment,
                                BatchScript.of(script),
                                line.operands(),
                                SubmittedFrom.UNKNOWN);
                return new Outcome(
                        0,
                        request.warnings().stream()
                                .map(warning -> "sbatch: " + warning)
                                .collect(Collectors.joining("\n")),
                        request);
            } catch (InvalidOption e) {
                return new Outcome(e.exitCode(), e.print("sbatch").strip(), null);
            }
        }

        JobSubmission submission() {
            return Objects.requireNonNull(request, error).submission();
        }
    }

    /// The words with ids for the jobs that the recorded cases depend on.
    private static String known(String word) {
        return word.replace("<J>", "17").replace("<A>", "23");
    }

    @ParameterizedTest
    @CsvSource({
        "time,40,0",
        "mem,25,0",
        "gres,61,3",
        "misc,102,2",
        "array,28,2",
        "dependency,25,2"
    })
    void sbatch_answers_as_slurm_does(String file, int least, int narrower) {
        var soft = new SoftAssertions();
        int compared = 0;
        int narrowed = 0;
        for (JsonNode golden : Golden.sbatchCases(file)) {
            String arguments = arguments(golden);
            if (CLUSTERS_OWN.contains(arguments) || COMMANDS_OWN.contains(arguments)) {
                continue;
            }
            Outcome outcome = Outcome.of(golden);
            if (WIDER.contains(arguments)) {
                soft.assertThat(outcome.exit()).as(arguments).isZero();
                continue;
            }
            String unsupported = unsupported(golden);
            if (NARROWER.containsKey(arguments)) {
                narrowed++;
                soft.assertThat(outcome.error())
                        .isEqualTo("sbatch: error: " + NARROWER.get(arguments));
            } else if (!unsupported.isEmpty()) {
                soft.assertThat(outcome.error())
                        .as(arguments)
                        .isIn(
                                golden.get("stderr").asText().strip(),
                                "sbatch: error: " + unsupported + " is not supported yet");
                soft.assertThat(outcome.exit()).as(arguments).isNotZero();
            } else {
                compared++;
                soft.assertThat(outcome.exit()).as(arguments).isEqualTo(golden.get("exit").asInt());
                soft.assertThat(outcome.error())
                        .as(arguments)
                        .isEqualTo(golden.get("stderr").asText().strip());
            }
        }
        soft.assertAll();
        assertThat(compared).isGreaterThanOrEqualTo(least);
        assertThat(narrowed).isEqualTo(narrower);
    }

    private static String arguments(JsonNode golden) {
        var words = new ArrayList<String>();
        golden.get("args").forEach(word -> words.add(word.asText()));
        return String.join(" ", words);
    }

    /// The first option of a case that Berth refuses as a whole; "" if there is none.
    private static String unsupported(JsonNode golden) {
        var words = new ArrayList<String>();
        golden.get("args").forEach(word -> words.add(word.asText()));
        try {
            for (Given<SbatchOption> given : Sbatch.commandLine(words).options()) {
                if (given.option().treatment() instanceof Refused) {
                    return "--" + given.option().longName();
                }
            }
            return "";
        } catch (InvalidOption e) {
            return "";
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"time", "mem", "gres", "misc"})
    void a_job_that_slurm_takes_asks_for_the_same(String file) {
        var soft = new SoftAssertions();
        for (JsonNode golden : Golden.sbatchCases(file)) {
            String arguments = arguments(golden);
            JsonNode job = golden.path("job");
            Outcome outcome = Outcome.of(golden);
            if (golden.get("exit").asInt() != 0 || outcome.exit() != 0 || !job.has("TimeLimit")) {
                continue;
            }
            soft.assertThat(timeLimit(outcome.submission()))
                    .as(arguments + " time limit")
                    .isEqualTo(job.get("TimeLimit").asText());
            soft.assertThat(memory(outcome.submission()))
                    .as(arguments + " memory")
                    .isEqualTo(memory(job));
            soft.assertThat(gpus(outcome.submission()))
                    .as(arguments + " GPUs")
                    .isEqualTo(gpus(job.get("TRES").asText()));
            soft.assertThat(Objects.requireNonNullElse(outcome.submission().nice(), 0))
                    .as(arguments + " nice")
                    .isEqualTo(job.get("Nice").asInt());
        }
        soft.assertAll();
    }

    /// The limit as scontrol writes it, with the recorded cluster's default.
    private static String timeLimit(JobSubmission submission) {
        Long seconds = submission.timeLimitSeconds();
        if (seconds == null) {
            return "interactive".equals(submission.partition()) ? "01:00:00" : "1-00:00:00";
        }
        return seconds == 0 ? SlurmTime.UNLIMITED : SlurmTime.full(seconds);
    }

    private static String memory(JobSubmission submission) {
        if (submission.memoryMibPerNode() != null) {
            long mib = submission.memoryMibPerNode();
            return "node " + (mib == 0 ? "0" : SlurmMemory.exact(mib));
        }
        if (submission.memoryMibPerGpu() != null) {
            return "gpu " + submission.memoryMibPerGpu();
        }
        Long perCpu = submission.memoryMibPerCpu();
        return "cpu " + SlurmMemory.exact(perCpu == null ? 100 : perCpu);
    }

    private static String memory(JsonNode job) {
        if (job.has("MinMemoryNode")) {
            return "node " + job.get("MinMemoryNode").asText();
        }
        return job.has("MemPerTres")
                ? "gpu " + job.get("MemPerTres").asText().substring("gres:gpu:".length())
                : "cpu " + job.get("MinMemoryCPU").asText();
    }

    private static int gpus(String tres) {
        int at = tres.indexOf("gres/gpu=");
        return at < 0 ? 0 : Integer.parseInt(tres.substring(at + 9).split(",")[0]);
    }

    private static int gpus(JobSubmission submission) {
        if (submission.gpusPerTask() != null) {
            return submission.gpusPerTask() * orOne(submission.tasks());
        }
        return submission.gpusPerNode() != null
                ? submission.gpusPerNode() * orOne(submission.nodes())
                : Objects.requireNonNullElse(submission.gpus(), 0);
    }

    private static int orOne(@Nullable Integer number) {
        return number == null ? 1 : number;
    }
}
