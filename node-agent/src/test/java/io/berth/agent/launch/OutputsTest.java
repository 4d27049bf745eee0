package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.launch.Outputs.Kept;
import io.berth.contracts.JobId;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a node knows of where its jobs wrote.
final class OutputsTest {
    private static final int MOST = 10;

    @TempDir private Path folder = Path.of("");
    private Outputs outputs = Outputs.beside(folder);

    @BeforeEach
    void make() throws IOException {
        Path runs = Files.createDirectory(folder.resolve("runs"));
        outputs = new Outputs(folder.resolve("outputs"), runs, MOST);
    }

    private void keep(long job) throws IOException {
        outputs.keep(new Kept(new JobId(job), "alice", "/home/alice/out", "/home/alice/err", null));
    }

    /// As if it had been kept at that second.
    private void keptAt(long job, long second) throws IOException {
        keep(job);
        Files.setLastModifiedTime(
                outputs.folder().resolve(Long.toString(job)), FileTime.fromMillis(second * 1000));
    }

    private boolean knows(long job) throws IOException {
        return outputs.of(new JobId(job)).isPresent();
    }

    @Test
    void no_job_takes_the_place_of_another() throws IOException {
        keep(17);
        keep(10_017);

        assertThat(knows(17)).isTrue();
        assertThat(knows(10_017)).isTrue();
    }

    @Test
    void a_name_that_no_file_can_have_takes_no_room() throws IOException {
        String name = "/" + "x/".repeat(3000);

        outputs.keep(new Kept(new JobId(17), "alice", name, "/home/alice/err", null));

        assertThat(knows(17)).isFalse();
    }

    @Test
    void the_jobs_key_is_kept_and_what_an_older_agent_kept_has_none() throws IOException {
        var kept = new Kept(new JobId(17), "alice", "/home/alice/out", "/home/alice/err", "a key");
        outputs.keep(kept);
        assertThat(outputs.of(kept.job())).contains(kept);

        Files.writeString(
                outputs.folder().resolve("17"),
                """
                {"job":17,"user":"alice","output":"/home/alice/out","error":"/home/alice/err"}\
                """);
        assertThat(outputs.of(kept.job()))
                .contains(new Kept(kept.job(), kept.user(), kept.output(), kept.error(), null));
    }

    @Test
    void of_many_the_last_are_known_and_those_that_run() throws IOException {
        Files.createDirectory(outputs.runs().resolve(new RunId(new JobId(17), 2).toString()));
        keptAt(17, 1);
        // Ids of a log that is gone, higher than those of its successor.
        for (int i = 0; i < 12; i++) {
            keptAt(90_000 + i, 2 + i);
        }
        for (int i = 0; i < 12; i++) {
            keptAt(20 + i, 20 + i);
        }

        assertThat(knows(17)).isTrue();
        assertThat(LongStream.range(90_000, 90_012).filter(this::isThere)).isEmpty();
        assertThat(LongStream.range(22, 32)).allMatch(this::isThere);
        assertThat(outputs.folder().toFile().list()).hasSizeLessThanOrEqualTo(MOST + 2);
    }

    private boolean isThere(long job) {
        return Files.exists(outputs.folder().resolve(Long.toString(job)));
    }
}
