package io.berth.slurm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/// Outputs of a real Slurm, in the folder that the variable BERTH_GOLDEN names.
final class Golden {

    private Golden() {}

    static Path folder() {
        String named = System.getenv("BERTH_GOLDEN");
        return Path.of(named == null ? "../../shared/golden" : named);
    }

    /// The cases of `sbatch-<name>.json`; the test is skipped if the folder is not there.
    static List<JsonNode> sbatchCases(String name) {
        Path file = folder().resolve("sbatch-" + name + ".json");
        Assumptions.assumeTrue(
                Files.isReadable(file), () -> file + " is absent: set BERTH_GOLDEN to its folder");
        try {
            var cases = new ArrayList<JsonNode>();
            new ObjectMapper().readTree(file.toFile()).get("cases").forEach(cases::add);
            return cases;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
