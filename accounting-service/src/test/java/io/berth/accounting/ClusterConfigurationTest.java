package io.berth.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.accounting.cluster.ClusterFile;
import io.berth.accounting.cluster.Difference;
import io.berth.accounting.cluster.Occupancy;
import io.berth.accounting.cluster.Removed;
import io.berth.accounting.cluster.ReservationUpkeep;
import io.berth.accounting.cluster.Revision;
import io.berth.accounting.cluster.Revisions;
import io.berth.accounting.db.BooksStopped;
import io.berth.accounting.kafka.ConfigTopic;
import io.berth.accounting.kafka.ConfigTopic.Published;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.License;
import io.berth.embedded.FreePorts;
import io.berth.embedded.KafkaBroker;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.ApiException;
import org.jspecify.annotations.Nullable;
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

            var revisions = new StoredRevisions();

            Files.writeString(file, invalid);
            assertThatExceptionOfType(BooksStopped.class)
                    .isThrownBy(() -> configuration(kafka, file, revisions).establish())
                    .withMessageContaining("no configuration was ever published");

            Files.writeString(file, valid);
            assertThat(configuration(kafka, file, revisions).establish().revision()).isEqualTo(1);

            Files.writeString(file, invalid);
            ClusterConfiguration refused = configuration(kafka, file, revisions);
            assertThat(refused.establish().revision()).isEqualTo(1);
            assertThat(refused.condition())
                    .isEqualTo(
                            new Condition.Stopped(
                                    file
                                            + ": accounts.team_a.shares: shares '-50' are neither a whole number from 0 nor parent"));

            whatWasStoredAndNotToldIsToldLater(kafka, file, valid, revisions);
            theNumbersGoOnFromTheTopicAfterAnOlderDatabase(kafka, file);
            whatBecomesOfReservationsByThemselvesIsARevisionEach(kafka, file, valid);
            aFileThatSaysTheSameInOtherWordsIsAppliedOnceToo(kafka, file, valid);
            anOtherOrderOfAccountsIsAnotherFile(kafka, file, valid);
        }
    }

    private static void whatWasStoredAndNotToldIsToldLater(
            KafkaConnection kafka, Path file, String valid, StoredRevisions revisions)
            throws IOException {
        Files.writeString(file, valid);
        ClusterConfiguration gone = configuration(kafka, file, revisions);
        gone.establish();
        gone.change("ann", 1L, false, before -> ClusterFile.parse(valid.replace("50", "60")));
        assertThat(new ConfigTopic(kafka).read().highest()).isEqualTo(1);

        Configuration next = configuration(kafka, file, revisions).establish();

        assertThat(next.revision()).isEqualTo(2);
        assertThat(next.accounts().get("team_a")).extracting(Account::shares).isEqualTo(60);
    }

    private static void theNumbersGoOnFromTheTopicAfterAnOlderDatabase(
            KafkaConnection kafka, Path file) {
        var older = new StoredRevisions();

        Configuration next = configuration(kafka, file, older).establish();

        assertThat(next.revision()).isEqualTo(3);
        assertThat(next.accounts().get("team_a")).extracting(Account::shares).isEqualTo(50);
        assertThat(older.latest().orElseThrow().number()).isEqualTo(3);
    }

    private static void whatBecomesOfReservationsByThemselvesIsARevisionEach(
            KafkaConnection kafka, Path file, String valid) throws IOException {
        String rest = "start: '2026-01-01T00:00:00', duration: 1-0, users: ann";
        String flags = "flags: 'DAILY,REPLACE_DOWN'";
        Files.writeString(
                file,
                valid
                        + "reservations:\n  one: {nodes: n1, %s, %s}\n  other: {nodes: n2, %s, %s}\n"
                                .formatted(rest, flags, rest, flags));
        var revisions = new StoredRevisions();
        ClusterConfiguration configuration =
                configuration(
                        kafka,
                        file,
                        revisions,
                        () ->
                                new Occupancy.Seen(
                                        List.of("n3", "n4", "n1", "n2"),
                                        Set.of("n3", "n4"),
                                        List.of(),
                                        Set.of()));
        configuration.establish();
        long first = configuration.latest().number();

        configuration.keepUp(new ReservationUpkeep());

        assertThat(configuration.latest().number()).isEqualTo(first + 2);
        JsonNode kept = configuration.latest().file().tree().path("reservations");
        assertThat(kept.at("/one/nodes").asText()).isEqualTo("n3");
        assertThat(kept.at("/other/nodes").asText()).isEqualTo("n4");
    }

    private static void aFileThatSaysTheSameInOtherWordsIsAppliedOnceToo(
            KafkaConnection kafka, Path file, String valid) throws IOException {
        var revisions = new StoredRevisions();
        Files.writeString(file, valid);
        configuration(kafka, file, revisions).establish();
        Files.writeString(file, "# A word on it.\n" + valid);
        configuration(kafka, file, revisions).establish();
        patch(configuration(kafka, file, revisions), null, "{\"licenses\":{\"matlab\":7}}");

        configuration(kafka, file, revisions).establish();

        assertThat(revisions.latest().orElseThrow().file().tree().at("/licenses/matlab").asInt())
                .isEqualTo(7);
    }

    /// The first that names a user is his default.
    private static void anOtherOrderOfAccountsIsAnotherFile(
            KafkaConnection kafka, Path file, String valid) throws IOException {
        var revisions = new StoredRevisions();
        String one = "  one: {users: {zoe: 1}}\n";
        String two = "  two: {users: {zoe: 1}}\n";
        Files.writeString(file, valid.replace("accounts:\n", "accounts:\n" + one + two));
        configuration(kafka, file, revisions).establish();
        Files.writeString(file, valid.replace("accounts:\n", "accounts:\n" + two + one));

        Configuration next = configuration(kafka, file, revisions).establish();

        assertThat(next.associations())
                .filteredOn(it -> it.user().equals("zoe") && it.isDefault())
                .extracting(Association::account)
                .containsExactly("two");
    }

    /// Another instance changes and publishes when the first has read what it wants to publish.
    @Test
    void an_instance_that_stalls_publishes_nothing_older() throws Exception {
        Path file = directory.resolve("cluster.yaml");
        Files.writeString(file, Files.readString(Path.of("../examples/accounts.yaml")));
        try (var broker =
                KafkaBroker.start(directory.resolve("kafka"), FreePorts.next(), FreePorts.next())) {
            var kafka = new KafkaConnection(broker.bootstrapServers());
            var revisions = new StoredRevisions();
            ClusterConfiguration stalling = configuration(kafka, file, revisions);
            stalling.establish();
            ClusterConfiguration other = configuration(kafka, file, revisions);
            other.establish();
            patch(stalling, null, "{\"licenses\":{\"matlab\":7}}");
            revisions.stalls =
                    () -> {
                        patch(other, null, "{\"licenses\":{\"matlab\":8}}");
                        other.catchUp(Duration.ZERO);
                        return null;
                    };

            assertThatExceptionOfType(ApiException.class)
                    .isThrownBy(() -> stalling.catchUp(Duration.ZERO));

            Published published = new ConfigTopic(kafka).read();
            assertThat(published.entries().values())
                    .filteredOn(License.class::isInstance)
                    .extracting(it -> ((License) it).count())
                    .containsExactly(8);
            stalling.catchUp(Duration.ZERO);
            assertThat(new ConfigTopic(kafka).read()).isEqualTo(published);
        }
    }

    @Test
    void a_change_is_refused_where_it_must_be_and_else_is_one_revision() throws Exception {
        String valid = Files.readString(Path.of("../examples/accounts.yaml"));
        var revisions = new StoredRevisions();
        revisions.add(0, new Revision(7, ClusterFile.parse(valid), "ann", 0, null, true));
        var kafka = new KafkaConnection("127.0.0.1:1");
        ClusterConfiguration configuration =
                configuration(kafka, directory.resolve("none"), revisions);

        assertThat(patch(configuration, 6L, "{\"qos\":{\"high\":{\"priority\":5}}}"))
                .isEqualTo(
                        new Changed.Refused(
                                "conflict", "revision 6 was changed meanwhile: the latest is 7"));
        assertThat(patch(configuration, 7L, "{\"accounts\":{\"team_a\":{\"parent\":\"team_a\"}}}"))
                .isEqualTo(
                        new Changed.Refused(
                                "invalid_configuration",
                                "accounts.team_a.parent: the account is below itself"));
        revisions.live = 2;
        assertThat(
                        patch(
                                configuration,
                                null,
                                "{\"accounts\":{\"team_a\":{\"users\":{\"bob\":null}}}}"))
                .isEqualTo(
                        new Changed.Refused(
                                "in_use",
                                "user bob in account team_a has 2 jobs that have not ended: cancel them first"));
        assertThat(patch(configuration, 7L, "{\"qos\":{\"high\":{\"priority\":5}}}"))
                .isEqualTo(
                        new Changed.Done(
                                8, List.of(new Difference("qos.high.priority", "100", "5"))));
        assertThat(patch(configuration, 8L, "{\"qos\":{\"high\":{\"priority\":5}}}"))
                .isEqualTo(new Changed.Done(8, List.of()));
    }

    @Test
    void nobodys_change_is_lost_when_many_change_at_once() throws Exception {
        String valid = Files.readString(Path.of("../examples/accounts.yaml"));
        var revisions = new StoredRevisions();
        revisions.add(0, new Revision(1, ClusterFile.parse(valid), "ann", 0, null, true));
        var kafka = new KafkaConnection("127.0.0.1:1");
        ClusterConfiguration configuration =
                configuration(kafka, directory.resolve("none"), revisions);

        try (var admins = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 12; i++) {
                String patch = "{\"qos\":{\"q" + i + "\":{\"priority\":" + i + "}}}";
                var unused = admins.submit(() -> patch(configuration, null, patch));
            }
        }

        assertThat(revisions.latest().orElseThrow().number()).isEqualTo(13);
        assertThat(revisions.latest().orElseThrow().file().tree().path("qos").size()).isEqualTo(14);
    }

    private static Changed patch(
            ClusterConfiguration configuration, @Nullable Long expected, String patch)
            throws IOException {
        return configuration.patch("ann", expected, false, new ObjectMapper().readTree(patch));
    }

    private static final Occupancy NOBODY =
            () -> new Occupancy.Seen(List.of(), Set.of(), List.of(), Set.of());

    /// Revisions in memory.
    private static final class StoredRevisions implements Revisions {

        private final TreeMap<Long, Revision> stored = new TreeMap<>();
        long live;

        /// What happens when the latest was read, once.
        private Callable<@Nullable Void> stalls = () -> null;

        @Override
        public synchronized List<Line> newest(int limit) {
            return stored.descendingMap().values().stream()
                    .limit(limit)
                    .map(it -> new Line(it.number(), it.author(), it.changedAt(), it.published()))
                    .toList();
        }

        @Override
        public synchronized Optional<Revision> latest() {
            Optional<Revision> latest = stored.descendingMap().values().stream().findFirst();
            Callable<@Nullable Void> meanwhile = stalls;
            stalls = () -> null;
            try {
                meanwhile.call();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            return latest;
        }

        @Override
        public synchronized boolean untold(long told) {
            return stored.values().stream().anyMatch(it -> it.number() > told || !it.published());
        }

        @Override
        public synchronized Optional<String> lastFile() {
            return stored.descendingMap().values().stream()
                    .flatMap(it -> Stream.ofNullable(it.fileSha256()))
                    .findFirst();
        }

        @Override
        public synchronized void applied(long number, String fileSha256) {
            stored.computeIfPresent(
                    number,
                    (_, it) ->
                            new Revision(
                                    it.number(),
                                    it.file(),
                                    it.author(),
                                    it.changedAt(),
                                    fileSha256,
                                    it.published()));
        }

        @Override
        public synchronized void add(long after, Revision revision) throws Overtaken {
            if (after != latest().map(Revision::number).orElse(0L)) {
                throw new Overtaken(after);
            }
            stored.put(revision.number(), revision);
        }

        @Override
        public synchronized void published(long number) {
            stored.headMap(number, true)
                    .replaceAll((_, it) ->
                            new Revision(
                                    it.number(),
                                    it.file(),
                                    it.author(),
                                    it.changedAt(),
                                    it.fileSha256(),
                                    true));
        }

        @Override
        public long liveJobs(Removed removed) {
            return live;
        }
    }

    private static ClusterConfiguration configuration(
            KafkaConnection kafka, Path file, Revisions revisions) {
        return configuration(kafka, file, revisions, NOBODY);
    }

    private static ClusterConfiguration configuration(
            KafkaConnection kafka, Path file, Revisions revisions, Occupancy occupancy) {
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

                    @Override
                    public Duration databaseTimeout() {
                        return Duration.ofSeconds(30);
                    }

                    @Override
                    public Optional<Duration> keep() {
                        return Optional.empty();
                    }

                    @Override
                    public Optional<Path> archive() {
                        return Optional.empty();
                    }

                    @Override
                    public Optional<Path> databaseCa() {
                        return Optional.empty();
                    }
                };
        return new ClusterConfiguration(
                config, revisions, occupancy, kafka, new TopicDeclarations(1, 1, (short) 1));
    }
}
