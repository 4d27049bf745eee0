package io.berth.core.limits;

import static io.berth.core.testing.TestCluster.PART;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.Limits;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.State;
import io.berth.contracts.event.QosRules;
import io.berth.contracts.event.QosRules.Flag;
import io.berth.contracts.event.Terms;
import io.berth.core.testing.TestCell;
import io.berth.core.testing.TestCluster;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Account `team` is below `science`. Partition `batch` takes 2 to 4 nodes for at most an hour.
class AccessTest {

    private State state = State.UP;
    private List<String> allowAccounts = List.of();
    private List<String> denyAccounts = List.of();
    private List<String> allowQos = List.of();
    private List<String> denyQos = List.of();
    private List<Flag> flags = List.of();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "UP       | 2 | 3600 | -                    | -",
                "DRAIN    | 2 | 3600 | -                    | -",
                "DOWN     | 2 | 3600 | -                    | PartitionDown",
                "INACTIVE | 2 | 3600 | -                    | PartitionInactive",
                "UP       | 5 | 3600 | -                    | PartitionNodeLimit",
                "UP       | 1 | 3600 | -                    | PartitionNodeLimit",
                "UP       | 2 | 3601 | -                    | PartitionTimeLimit",
                "UP       | 2 | 0    | -                    | PartitionTimeLimit",
                "UP       | 5 | 3600 | PARTITION_MAX_NODES  | -",
                "UP       | 1 | 3600 | PARTITION_MIN_NODES  | -",
                "UP       | 2 | 0    | PARTITION_TIME_LIMIT | -",
            })
    void a_partition_starts_what_its_rules_allow(
            State of, int nodes, long seconds, @Nullable Flag flag, @Nullable String reason) {
        state = of;
        flags = flag == null ? List.of() : List.of(flag);

        Optional<Reason> met = access().start(job(nodes, seconds));

        assertThat(met.map(Reason::slurmName).orElse(null)).isEqualTo(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "team    | -     | -      | -      | -",
                "science | -     | -      | -      | -",
                "other   | -     | -      | -      | AccountNotAllowed",
                "team    | team  | -      | -      | -",
                "-       | team  | -      | -      | AccountNotAllowed",
                "-       | other | -      | -      | -",
                "-       | -     | normal | -      | -",
                "-       | -     | high   | -      | QOSNotAllowed",
                "-       | -     | -      | normal | QOSNotAllowed",
                "-       | -     | normal | normal | -",
            })
    void a_partition_lets_in_whom_it_allows(
            @Nullable String allowed,
            @Nullable String denied,
            @Nullable String allowedQos,
            @Nullable String deniedQos,
            @Nullable String reason) {
        allowAccounts = list(allowed);
        denyAccounts = list(denied);
        allowQos = list(allowedQos);
        denyQos = list(deniedQos);

        Optional<Reason> met = access().start(job(2, 60));

        assertThat(met.map(Reason::slurmName).orElse(null)).isEqualTo(reason);
    }

    @Test
    void a_partition_that_is_gone_starts_nothing() {
        JobDescription job = job(2, 60);
        var elsewhere =
                new JobDescription(
                        job.user(),
                        job.account(),
                        "gone",
                        job.qos(),
                        job.name(),
                        job.request(),
                        job.launch(),
                        60,
                        0,
                        true);

        assertThat(access().start(elsewhere)).contains(Reason.PARTITION_CONFIG);
    }

    @Test
    void the_nearest_terms_say_which_qos_a_user_may_have() {
        assertThat(access().defaultQos("alice", "team")).isEqualTo("high");
        assertThat(access().defaultQos("bob", "team")).isEqualTo("normal");
        assertThat(access().qosOf("alice", "team")).containsExactly("high");
        assertThat(access().qosOf("bob", "team")).containsExactly("normal", "high");
        assertThat(access().qosOf("carol", "other")).containsExactly("normal", "high", "low");
    }

    private static List<String> list(@Nullable String name) {
        return name == null ? List.of() : List.of(name);
    }

    private static JobDescription job(int nodes, long seconds) {
        var request =
                new ResourceRequest(nodes, nodes, 1, MemoryRequest.perNode(1), GpuRequest.NONE);
        return TestCell.job(request, seconds);
    }

    private Access access() {
        var rules =
                new PartitionRules(
                        state,
                        2,
                        0,
                        0,
                        allowAccounts,
                        denyAccounts,
                        allowQos,
                        denyQos,
                        null,
                        null,
                        0,
                        false,
                        null);
        return new Access(
                TestCluster.configuration(
                        TestCluster.of("team", 0, new Prices(0, 0, 0, Map.of())),
                        new Partition(
                                PART, "batch", true, List.of("ALL"), 3600, 0, 4, 1, 1, 0, rules),
                        new Qos(PART, "normal", 0, rules(flags)),
                        new Qos(PART, "high", 0),
                        new Qos(PART, "low", 0),
                        new Account(PART, "science", null, 1, terms("normal", "normal,high"), null),
                        new Account(PART, "team", "science", 1),
                        new Account(PART, "other", null, 1),
                        new Association(PART, "team", "bob", 1, true),
                        new Association(PART, "team", "alice", 1, true, terms("high", "high"))));
    }

    private static QosRules rules(List<Flag> flags) {
        return new QosRules("", flags, 1000, 0, List.of(), null, Limits.NONE);
    }

    private static Terms terms(String defaultQos, String qos) {
        return new Terms(defaultQos, List.of(qos.split(",")), 0, Limits.NONE, Map.of());
    }
}
