package io.berth.accounting.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.config.Configuration;
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

    /// Dan's default account would be another one.
    @Test
    void the_order_of_accounts_is_not_his_to_change() throws Exception {
        ClusterFile before =
                after(strict("{accounts: {other: {users: {dan: 1}}, lab: {users: {dan: 1}}}}"));
        ObjectNode tree = before.tree().deepCopy();
        JsonNode other = tree.withObjectProperty("accounts").remove("other");
        tree.withObjectProperty("accounts").set("other", other);

        assertThatExceptionOfType(NotAllowed.class)
                .isThrownBy(() -> Coordination.checked("ann", before, ClusterFile.of(tree)))
                .withMessage("a coordinator may not change the order of accounts");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "{shares: 2, priority: 3}"})
    void a_user_of_others_whom_he_adds_keeps_his_default_account(String entry) throws Exception {
        ClusterFile before = after(strict("{accounts: {team: {users: {dan: %s}}}}".formatted(entry)));
        ClusterFile changed =
                before.patched(YamlMap.tree("{accounts: {group: {users: {dan: 1}}}}"));

        ClusterFile checked = Coordination.checked("ann", before, changed);

        var configuration = Configuration.of(0, checked.entries(0));
        assertThat(configuration.accountOf("dan")).isEqualTo("team");
        assertThat(configuration.mayUse("dan", "group")).isTrue();
        assertThat(checked.tree().at("/accounts/team/users/dan/priority"))
                .isEqualTo(before.tree().at("/accounts/team/users/dan/priority"));
    }

    @Test
    void the_default_account_of_a_user_of_others_is_not_his_to_change() throws Exception {
        ClusterFile before = after(strict("{accounts: {team: {users: {dan: 1}}}}"));
        ClusterFile changed =
                before.patched(
                        YamlMap.tree(
                                "{accounts: {group: {users: {dan: {shares: 1, default: true}}}}}"));

        assertThatExceptionOfType(NotAllowed.class)
                .isThrownBy(() -> Coordination.checked("ann", before, changed))
                .withMessage(
                        "accounts.group.users.dan.default: it is team, which ann does not coordinate");
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
