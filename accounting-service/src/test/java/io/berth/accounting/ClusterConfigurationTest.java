package io.berth.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.berth.accounting.db.BooksStopped;
import io.berth.embedded.FreePorts;
import io.berth.embedded.KafkaBroker;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterConfigurationTest {

    @TempDir Path directory;

    @Test
    void an_invalid_file_leaves_in_force_what_was_published_before() throws IOException {
        Path file = directory.resolve("cluster.yaml");
        String valid = Files.readString(Path.of("../examples/accounts.yaml"));
        String invalid = valid.replace("shares: 50", "shares: -50");
        try (var broker =
                KafkaBroker.start(directory.resolve("kafka"), FreePorts.next(), FreePorts.next())) {
            var kafka = new KafkaConnection(broker.bootstrapServers());

            Files.writeString(file, invalid);
            assertThatExceptionOfType(BooksStopped.class)
                    .isThrownBy(() -> configuration(kafka, file).establish())
                    .withMessageContaining("no configuration was ever published");

            Files.writeString(file, valid);
            assertThat(configuration(kafka, file).establish().revision()).isEqualTo(1);

            Files.writeString(file, invalid);
            ClusterConfiguration refused = configuration(kafka, file);
            assertThat(refused.establish().revision()).isEqualTo(1);
            assertThat(refused.condition())
                    .isEqualTo(
                            new Condition.Stopped(
                                    file
                                            + ": accounts.team_a.shares: shares '-50' are neither a whole number from 0 nor parent"));
        }
    }

    private static ClusterConfiguration configuration(KafkaConnection kafka, Path file) {
        var config =
                new AccountingConfig() {
                    @Override
                    public Optional<Path> clusterFile() {
                        return Optional.of(file);
                    }

                    @Override
                    public Duration sharesInterval() {
                        return Duration.ofSeconds(10);
                    }

                    @Override
                    public Duration longestPause() {
                        return Duration.ofSeconds(1);
                    }
                };
        return new ClusterConfiguration(config, kafka, new TopicDeclarations(1, 1, (short) 1));
    }
}
