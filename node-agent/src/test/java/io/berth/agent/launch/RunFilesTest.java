package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A run's folder in the spool.
class RunFilesTest {

    private static final RunId RUN = new RunId(new JobId(5), 1);

    @TempDir Path runs;
    @TempDir Path elsewhere;

    @Test
    void it_goes_with_all_that_is_in_it_and_nothing_that_a_link_in_it_leads_to()
            throws IOException {
        Path others = Files.writeString(elsewhere.resolve("others"), "kept");
        RunFiles files = RunFiles.of(runs, RUN);
        files.write("script", "true");
        Files.createDirectories(files.makeSteps().resolve("deep/er"));
        Files.createSymbolicLink(files.folder().resolve("steps/link"), elsewhere);
        Files.createSymbolicLink(files.folder().resolve("steps/deep/gone"), Path.of("/none"));

        files.remove();

        assertThat(files.folder()).doesNotExist();
        assertThat(others).hasContent("kept");
    }

    @Test
    void what_is_gone_can_be_removed_again() throws IOException {
        RunFiles files = RunFiles.of(runs, RUN);
        files.remove();

        files.remove();

        assertThat(runs).isEmptyDirectory();
    }
}
