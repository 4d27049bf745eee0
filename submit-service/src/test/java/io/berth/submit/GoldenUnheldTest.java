package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.AdminLevel;
import io.berth.contracts.Gpu;
import io.berth.contracts.Inventory;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.json.Json;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.Sbatch;
import io.berth.submit.Admission.Decision.Admitted;
import io.berth.submit.Admission.Decision.NotAdmitted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/// What a real Slurm takes and refuses by what its nodes have: eight of 128 CPUs and 8 A100 each,
/// of which two are the partition `interactive`.
final class GoldenUnheldTest {
    private static final int CASES = 33;

    /// What Slurm takes and Berth refuses, and with which words. Where no number of nodes follows
    /// from what is asked for, a job is on one node.
    private static final Map<String, String> NARROWER =
            Map.of(
                    "-n1025", "1025 CPUs on one node, and the largest has 128",
                    "--cpus-per-gpu=65 --gpus=2", "130 CPUs on one node, and the largest has 128",
                    "--mem-per-gpu=100G --gpus=8",
                            "819200 MiB of memory on one node, and the largest has 512000",
                    "--gres=mps:101", "mps:101 is no part of one GPU");

    /// Of what is refused the words that tell what was wrong.
    private static final Map<String, String> WORDS =
            Map.of(
                    "--gpus=65", "in partition batch: 65 GPUs, and its nodes have 64 together",
                    "-w node05 -p interactive", "in partition interactive: it does not have node05",
                    "-x node[01-08]", "in partition batch: all its nodes are excluded");

    private static final List<NodeSeen> NODES =
            IntStream.rangeClosed(1, 8).mapToObj(it -> node("node0" + it)).toList();

    private static NodeSeen node(String name) {
        List<Gpu> gpus =
                IntStream.range(0, 8)
                        .mapToObj(it ->
                                new Gpu(it, "GPU-" + name + it, "a100", "A100", it, 40_960, it / 4))
                        .toList();
        var inventory =
                new Inventory(
                        2,
                        64,
                        1,
                        128,
                        512_000,
                        gpus,
                        List.of(Isolation.CPUSET),
                        true,
                        null,
                        "Linux",
                        "amd64");
        return new NodeSeen(
                new NodeName(name), "nonce", "machine", "boot", "0.1.0", inventory, List.of(), 0);
    }

    private static Configuration configuration() {
        return Samples.configuration(it ->
                it instanceof Partition cpu && cpu.name().equals("cpu")
                        ? new Partition(
                                cpu.part(),
                                "interactive",
                                false,
                                List.of("node01", "node02"),
                                14_400,
                                3600,
                                1,
                                100,
                                1000,
                                100)
                        : it);
    }

    /// @param words why not
    private record Answer(boolean taken, String words) {

        static Answer of(List<String> words) {
            var alice = new Caller("alice", AdminLevel.NONE, "10.0.0.1");
            var admission = new Admission(configuration(), NODES, alice, 100_001, 0);
            try {
                var asked = Sbatch.submission(words, Map.of(), "#!/bin/sh\ntrue\n", List.of());
                return switch (admission.decide(asked)) {
                    case Admitted _ -> new Answer(true, "");
                    case NotAdmitted it -> new Answer(false, it.refusal().detail());
                };
            } catch (InvalidOption e) {
                return new Answer(false, String.valueOf(e.getMessage()));
            }
        }
    }

    @Test
    void what_no_nodes_can_have_is_refused_as_by_slurm() throws IOException {
        String named = System.getenv("BERTH_GOLDEN");
        Path folder = Path.of(named == null ? "../../shared/golden" : named);
        Path file = folder.resolve("sbatch-unheld.json");
        assumeThat(file).isReadable();
        var soft = new SoftAssertions();
        int compared = 0;
        for (JsonNode golden : Json.mapper().readTree(Files.readString(file)).get("cases")) {
            var words = new ArrayList<String>();
            golden.get("args").forEach(it -> words.add(it.asText()));
            String line = String.join(" ", words);
            Answer answer = Answer.of(words);
            soft.assertThat(answer.taken())
                    .as("%s: %s", line, answer.words())
                    .isEqualTo(golden.get("exit").asInt() == 0 && !NARROWER.containsKey(line));
            soft.assertThat(answer.words())
                    .as(line)
                    .contains(NARROWER.getOrDefault(line, WORDS.getOrDefault(line, "")));
            compared++;
        }
        soft.assertAll();
        assertThat(compared).isGreaterThanOrEqualTo(CASES);
    }
}
