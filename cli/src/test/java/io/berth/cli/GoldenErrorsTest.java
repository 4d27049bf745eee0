package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.cli.CommandRun.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/// Wrong uses of the commands, answered as a real Slurm answered them.
final class GoldenErrorsTest {

    private static final String NO_ACCOUNTS =
            "Berth's users need no Unix account, so no name is known to be wrong";
    private static final String OWN_TREE = "it prints the tree of that cluster; SshareTest has it";
    private static final String OTHER_ENTITIES = "it lists entities that Berth does not have";
    private static final String BY_MESH = "what the mesh answers, or the program";

    /// Cases left out, by how the command line begins.
    private static final Map<String, String> EXCLUDED =
            Map.ofEntries(
                    Map.entry("scancel -u nosuch", NO_ACCOUNTS),
                    Map.entry("squeue -u nosuch", NO_ACCOUNTS),
                    Map.entry(
                            "scontrol suspend",
                            "that Slurm's command did not know its own answer; ScontrolTest has it"),
                    Map.entry(
                            "scontrol update nodename=node01 state=foo",
                            "it names states that no node is put into here; ScontrolTest has it"),
                    Map.entry("sshare", OWN_TREE),
                    Map.entry("srun -p", BY_MESH),
                    Map.entry("srun -N99", "its job waited until somebody ended the command"),
                    Map.entry("srun --gres", BY_MESH),
                    Map.entry("srun nosuchcommand", BY_MESH),
                    Map.entry("srun false", BY_MESH),
                    Map.entry("srun bash", BY_MESH),
                    Map.entry("salloc -p", BY_MESH),
                    Map.entry("sacctmgr show foo", OTHER_ENTITIES),
                    Map.entry("sacctmgr -i add user bench", "it speaks of another cluster"));

    private final FakeMesh mesh =
            new FakeMesh()
                    .on("GET", "/v1/jobs", "{\"jobs\":[]}")
                    .on("POST", "/v1/jobs/cancel", "{\"refused\":[]}")
                    .on("GET", "/v1/accounting/jobs", "{\"jobs\":[]}")
                    .on("GET", "/v1/configuration", "{\"revision\":1,\"document\":{}}")
                    .on("GET", "/v1/priorities", "{\"jobs\":[]}")
                    .on("GET", "/v1/partitions", Samples.PARTITIONS)
                    .on("GET", "/v1/nodes", Samples.nodes("IDLE", "IDLE"));

    @AfterEach
    void close() {
        mesh.close();
    }

    @Test
    void a_wrong_use_is_answered_as_by_slurm() throws IOException {
        var soft = new SoftAssertions();
        int compared = 0;
        for (JsonNode golden : cases()) {
            String command = golden.get("cmd").asText();
            if (EXCLUDED.keySet().stream().anyMatch(command::startsWith)) {
                continue;
            }
            compared++;
            Outcome outcome = new CommandRun(mesh).run(List.of(command.split(" ")));
            soft.assertThat(outcome)
                    .as(command)
                    .isEqualTo(
                            new Outcome(
                                    golden.get("exit").asInt(),
                                    golden.get("stdout").asText(),
                                    golden.get("stderr").asText()));
        }
        soft.assertAll();
        assertThat(compared).isEqualTo(33);
    }

    private static JsonNode cases() throws IOException {
        String named = System.getenv("BERTH_GOLDEN");
        Path file =
                Path.of(named == null ? "../../shared/golden" : named)
                        .resolve("errors-other-commands.json");
        Assumptions.assumeTrue(
                Files.isReadable(file), () -> file + " is absent: set BERTH_GOLDEN to its folder");
        return new ObjectMapper().readTree(file.toFile());
    }
}
