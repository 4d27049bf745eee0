package io.berth.contracts.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.ConfigEntry.Weights;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ConfigurationAssemblerTest {
    private final ConfigurationAssembler assembler = new ConfigurationAssembler();

    @Test
    void a_revision_shows_with_its_last_record_and_not_before() {
        var entries = revision(1, "batch");

        var shown = entries.stream().map(assembler::add).map(Optional::isPresent).toList();

        assertThat(shown).containsExactly(false, false, false, false, true);
    }

    @Test
    void a_revision_is_complete_in_any_order_of_its_records() {
        for (long seed = 0; seed < 100; seed++) {
            var entries = new ArrayList<>(revision(7, "batch"));
            Collections.shuffle(entries, new Random(seed));

            var last = readAll(new ConfigurationAssembler(), entries);

            assertThat(last).as("seed %d", seed).map(Configuration::revision).contains(7L);
        }
    }

    @Test
    void what_compaction_left_of_an_older_revision_does_not_show() {
        assembler.add(revision(1, "old").get(1));

        var last = readAll(assembler, revision(2, "new"));

        assertThat(last).map(it -> List.copyOf(it.partitions().keySet())).contains(List.of("new"));
    }

    @Test
    void an_older_revision_never_follows_a_newer_one() {
        readAll(assembler, revision(2, "new"));

        var last = readAll(assembler, revision(1, "old"));

        assertThat(last).isEmpty();
    }

    @Test
    void a_newer_revision_ends_the_assembly_of_an_older_one() {
        var older = revision(1, "old");
        older.subList(0, 4).forEach(assembler::add);
        assembler.add(revision(2, "new").getFirst());

        var last = assembler.add(older.getLast());

        assertThat(last).isEmpty();
    }

    @Test
    void a_user_without_association_has_the_clusters_default_account() {
        var configuration = readAll(assembler, revision(1, "batch")).orElseThrow();

        assertThat(configuration.accountOf("nobody")).isEqualTo("default");
        assertThat(configuration.mayUse("nobody", "default")).isTrue();
        assertThat(configuration.mayUse("nobody", "team_a")).isFalse();
    }

    @Test
    void a_users_account_is_that_of_his_default_association() {
        var configuration = readAll(assembler, revision(1, "batch")).orElseThrow();

        assertThat(configuration.accountOf("alice")).isEqualTo("team_b");
        assertThat(configuration.mayUse("alice", "team_a")).isTrue();
        assertThat(configuration.mayUse("alice", "default")).isFalse();
    }

    @Test
    void jobs_that_name_no_partition_go_to_the_default_one() {
        var configuration = readAll(assembler, revision(1, "batch")).orElseThrow();

        assertThat(configuration.defaultPartition()).map(Partition::name).contains("batch");
    }

    private static Optional<Configuration> readAll(
            ConfigurationAssembler assembler, List<ConfigEntry> entries) {
        return entries.stream().map(assembler::add).flatMap(Optional::stream).findFirst();
    }

    private static List<ConfigEntry> revision(long revision, String partition) {
        return List.of(
                new Cluster(
                        new Part(revision, 1, 5),
                        "berth",
                        "default",
                        "normal",
                        604_800,
                        604_800,
                        false,
                        new Weights(1, 2, 3, 4, 5),
                        new Prices(1, 2, 3, Map.of())),
                new Partition(
                        new Part(revision, 2, 5),
                        partition,
                        true,
                        List.of("ALL"),
                        0,
                        0,
                        0,
                        1,
                        1,
                        1),
                new Account(new Part(revision, 3, 5), "team_a", null, 1),
                new Association(new Part(revision, 4, 5), "team_a", "alice", 1, false),
                new Association(new Part(revision, 5, 5), "team_b", "alice", 1, true));
    }
}
