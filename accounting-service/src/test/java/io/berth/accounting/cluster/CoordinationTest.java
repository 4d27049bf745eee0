package io.berth.accounting.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.config.Configuration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What ann, who coordinates `lab`, may change.
final class CoordinationTest {

    private static final String CLUSTER =
            """
            name: c
            defaultAccount: other
            defaultQos: normal
            partitions: {batch: {default: true}}
            qos: {normal: , high: , urgent: }
            accounts:
              other: {users: {ann: 1}}
              institute: {limits: {GrpTRES: gres/gpu=64, MaxJobs: 20}}
              lab:
                parent: institute
                coordinators: [ann]
                qos: [normal, high]
                limits: {MaxJobs: 10, MaxWall: 1-0}
                users: {bob: {shares: 2, priority: 7}}
              group: {parent: lab, users: {carl: 1}}
            """;

    private static ClusterFile after(String patch) throws Exception {
        return ClusterFile.parse(CLUSTER).patched(new ObjectMapper().readTree(patch));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{accounts: {lab: {users: {dan: {shares: 3}}}}}",
                "{accounts: {lab: {users: {bob: null}}}}",
                "{accounts: {lab: {users: {bob: {limits: {MaxJobs: 10, GrpTRES: 'gres/gpu=64'}}}}}}",
                "{accounts: {lab: {users: {bob: {defaultQos: high, qos: [high]}}}}}",
                "{accounts: {lab: {users: {bob: {partitions: {batch: {MaxWall: '12:00:00'}}}}}}}",
                "{accounts: {group: {shares: 9, description: ours, coordinators: [carl]}}}",
                "{accounts: {group: {limits: {MaxTRES: 'cpu=4'}}}}",
                "{accounts: {group: null}}",
                "{accounts: {fresh: {parent: group, users: {eve: {shares: 1}}}}}",
                "{accounts: {group: {users: {carl: null}}, lab: {users: {carl: {shares: 1}}}}}"
            })
    void his_own_is_his_to_change(String patch) throws Exception {
        ClusterFile changed = after(strict(patch));

        assertThatNoException()
                .isThrownBy(() -> Coordination.checked("ann", ClusterFile.parse(CLUSTER), changed));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{qos: {high: {priority: 5}}} | a coordinator may not change qos",
                "{name: d} | a coordinator may not change name",
                "{accounts: {lab: {shares: 5}}} | accounts.lab: ann coordinates no account above it",
                "{accounts: {lab: {coordinators: [ann, bob]}}} | accounts.lab: ann coordinates no account above it",
                "{accounts: {lab: {limits: null}}} | accounts.lab: ann coordinates no account above it",
                "{accounts: {other: {coordinators: [ann]}}} | accounts.other: ann coordinates no account above it",
                "{accounts: {fresh: {}}} | accounts.fresh: ann coordinates no account above it",
                "{accounts: {group: {parent: null}}} | accounts.group: ann coordinates no account above it",
                "{accounts: {group: {parent: institute}}} | accounts.group: ann coordinates no account above it",
                "{accounts: {other: {parent: lab}}} | accounts.other: ann coordinates no account above it",
                "{accounts: {other: {users: {bob: {shares: 1}}}}} | accounts.other.users.bob: ann does not coordinate the account",
                "{accounts: {other: {users: {ann: null}}}} | accounts.other.users.ann: ann does not coordinate the account",
                "{accounts: {group: {guarantee: gres/gpu=1}}} | accounts.group.guarantee: only an operator may change it",
                "{accounts: {lab: {users: {bob: {priority: 8}}}}} | accounts.lab.users.bob.priority: only an operator may change it",
                "{accounts: {lab: {users: {bob: {qos: [urgent]}}}}} | accounts.lab.users.bob.qos: 'urgent' is not one of the account above: [normal, high]",
                "{accounts: {group: {defaultQos: urgent}}} | accounts.group.qos: 'urgent' is not one of the account above: [normal, high]",
                "{accounts: {lab: {users: {bob: {limits: {MaxJobs: 11}}}}}} | accounts.lab.users.bob.limits.MaxJobs: 11 is above the 10 of the account above",
                "{accounts: {group: {limits: {GrpTRES: 'gres/gpu=65'}}}} | accounts.group.limits.GrpTRES.gres/gpu: 65 is above the 64 of the account above",
                "{accounts: {lab: {users: {bob: {partitions: {batch: {MaxWall: '2-0'}}}}}}} | accounts.lab.users.bob.partitions.batch.MaxWall: 2880 is above the 1440 of the account above"
            })
    void what_is_not_is_refused_with_the_place(String patch, String why) throws Exception {
        ClusterFile changed = after(strict(patch));

        assertThatExceptionOfType(NotAllowed.class)
                .isThrownBy(() -> Coordination.checked("ann", ClusterFile.parse(CLUSTER), changed))
                .withMessage(why);
    }

    @Test
    void a_user_of_others_comes_into_an_account_above_and_keeps_his_default() throws Exception {
        ClusterFile before =
                ClusterFile.parse(
                        CLUSTER.replace("accounts:\n", "accounts:\n  first: {parent: lab}\n"));

        ClusterFile after =
                before.patched(YamlMap.tree("{accounts: {first: {users: {ann: {shares: 1}}}}}"));

        assertThat(Configuration.of(0, after.entries(0)).accountOf("ann")).isEqualTo("other");
        assertThat(after.tree().at("/accounts/other/users/ann"))
                .isEqualTo(YamlMap.tree("{shares: 1, default: true}"));
        assertThatNoException().isThrownBy(() -> Coordination.checked("ann", before, after));
    }

    @Test
    void the_default_account_of_others_users_is_not_his_to_change() throws Exception {
        ClusterFile before =
                after(strict("{accounts: {other: {users: {dan: 1}}, lab: {users: {dan: 1}}}}"));
        ObjectNode tree = before.tree().deepCopy();
        JsonNode other = tree.withObjectProperty("accounts").remove("other");
        tree.withObjectProperty("accounts").set("other", other);
        ClusterFile marked =
                before.patched(YamlMap.tree("{accounts: {lab: {users: {dan: {default: true}}}}}"));

        for (ClusterFile changed : List.of(ClusterFile.of(tree), marked)) {
            assertThatExceptionOfType(NotAllowed.class)
                    .isThrownBy(() -> Coordination.checked("ann", before, changed))
                    .withMessage(
                            "accounts.lab.users.dan.default: his default account is other, which ann does not coordinate");
        }
        assertThatNoException()
                .isThrownBy(() ->
                        Coordination.checked(
                                "ann",
                                before,
                                before.patched(
                                        YamlMap.tree(
                                                "{accounts: {group: {users: {bob: {default: true}}}}}"))));
    }

    @Test
    void who_coordinates_nothing_is_no_coordinator() throws Exception {
        ClusterFile file = ClusterFile.parse(CLUSTER);

        assertThat(Coordination.exists("ann", file)).isTrue();
        assertThat(Coordination.exists("bob", file)).isFalse();
    }

    /// JSON of the shorter form.
    private static String strict(String patch) throws Exception {
        return YamlMap.tree(patch).toString();
    }
}
