package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.State;
import io.berth.contracts.event.PartitionRules.Use;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PartitionEntryTest {
    private static final Caller ALICE = new Caller("alice", AdminLevel.NONE, "10.0.0.7");
    private static final Caller OPERATOR = new Caller("root", AdminLevel.OPERATOR, "10.0.0.8");

    private static Partition partition(List<String> hosts, boolean rootOnly) {
        return partition(new Use(0, 0, 0, false, hosts, rootOnly));
    }

    private static Partition partition(Use use) {
        var rules =
                new PartitionRules(
                        State.UP, 1, 0, 0, List.of(), List.of(), List.of(), List.of(), null, null,
                        0, false, null, null, use);
        return new Partition(
                new Part(1, 1, 1), "night", false, List.of("ALL"), 0, 0, 0, 1, 1, 0, rules);
    }

    private static PartitionEntry entry(Caller caller) {
        return new PartitionEntry(Samples.configuration(), caller);
    }

    @Test
    void a_partition_of_operators_takes_nobody_elses_jobs() {
        Partition night = partition(List.of("ALL"), true);

        assertThatThrownBy(() -> entry(ALICE).check(night, "alice", "physics", "normal"))
                .hasMessageContaining("only an operator may submit to partition night");
        assertThatCode(() -> entry(OPERATOR).check(night, "alice", "physics", "normal"))
                .doesNotThrowAnyException();
    }

    @Test
    void jobs_of_root_may_be_kept_out_whoever_submits_them() {
        Partition night = partition(Use.ANY.with(to -> to.withoutRoot = true));
        var ann = new Caller("ann", AdminLevel.OPERATOR, "10.0.0.8");

        for (Caller caller : List.of(OPERATOR, ann)) {
            assertThatThrownBy(() -> entry(caller).check(night, "root", "physics", "normal"))
                    .hasMessageContaining("jobs of root are kept out of partition night");
            assertThatCode(() -> entry(caller).check(night, "ann", "physics", "normal"))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void a_partition_of_groups_takes_the_jobs_of_their_members() {
        Partition night =
                partition(Use.ANY.with(to -> to.allowGroups = List.of("lab", "chemistry")));
        var member = new Caller("alice", AdminLevel.NONE, "h", "", Set.of("user", "lab"), null);

        assertThatCode(() -> entry(member).check(night, "alice", "physics", "normal"))
                .doesNotThrowAnyException();
        assertThatCode(() -> entry(OPERATOR).check(night, "alice", "physics", "normal"))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> entry(ALICE).check(night, "alice", "physics", "normal"))
                .hasMessageContaining(
                        "jobs of partition night are of groups lab, chemistry, and the token of alice names none");
    }

    @Test
    void a_job_comes_from_a_host_that_the_partition_takes_jobs_from() {
        Partition night = partition(List.of("login-1", "login-2"), false);

        assertThatCode(() -> entry(ALICE).checkOrigin(night, "login-2")).doesNotThrowAnyException();
        assertThatThrownBy(() -> entry(ALICE).checkOrigin(night, "laptop"))
                .hasMessageContaining(
                        "jobs of partition night may be submitted from login-1, login-2, and not from 'laptop'");
        assertThatThrownBy(() -> entry(ALICE).checkOrigin(night, null))
                .hasMessageContaining("not from '10.0.0.7'");
    }
}
