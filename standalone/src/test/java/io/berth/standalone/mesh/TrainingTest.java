package io.berth.standalone.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A training beside a mesh, which a script stands for.
class TrainingTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Offer NOTHING = new Offer(false, Optional.empty(), Optional.empty());

    @TempDir private Path root;
    private MeshHome home;

    @BeforeEach
    void makeHome() throws IOException {
        home = new MeshHome(root.resolve("home"));
        home.create();
    }

    @Test
    void one_that_is_given_up_has_time_to_put_away_what_it_has_begun() throws IOException {
        Training training =
                begin(
                        """
                        trap 'touch "$0.told"; sleep 0.5; touch "$0.ended"; exit 1' TERM
                        touch "$0.begun"
                        sleep 60 &
                        wait
                        """);
        awaitFile("berth.begun");

        training.giveUp();
        awaitFile("berth.told");
        training.awaitEnd();

        assertThat(root.resolve("berth.ended")).exists();
    }

    @Test
    void what_one_made_is_put_in_place_when_it_is_over() throws IOException {
        Path target = Files.createDirectories(root.resolve("standalone/target"));

        Training training = begin("echo made >\"${0%/*}/standalone/target/standalone.aot.new\"");
        training.awaitEnd();

        assertThat(target.resolve("standalone.aot")).hasContent("made");
    }

    @Test
    void what_one_that_fails_says_is_in_its_log() throws IOException {
        Training training = begin("echo out of luck; exit 3");
        training.awaitEnd();

        assertThat(home.log("training")).hasContent("out of luck");
    }

    @Test
    void one_that_did_not_begin_is_over() {
        var training = new Training(services());

        training.giveUp();
        training.awaitEnd();

        assertThat(home.log("training")).doesNotExist();
    }

    private void awaitFile(String name) {
        await().atMost(PATIENCE).until(() -> Files.exists(root.resolve(name)));
    }

    private Training begin(String script) throws IOException {
        Path file = Files.writeString(root.resolve("berth"), "#!/bin/sh\n" + script);
        assertThat(file.toFile().setExecutable(true)).isTrue();
        var training = new Training(services());
        training.begin();
        return training;
    }

    private Services services() {
        return new Services(root, home, new Ports(20_000), NOTHING, Leash.here());
    }
}
