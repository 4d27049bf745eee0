package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.FakeMesh.Reply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReservationCommandsTest {

    private static final String CONFIGURATION =
            """
            {"revision":7,"document":{"reservations":{"course":
              {"start":"2026-11-20T12:00:00","duration":"0-02:00:00","nodes":"node01","users":["ann"],"flags":["MAINT"]}}}}
            """;

    private static final String RESERVATIONS =
            """
            {"reservations":[{"name":"course","state":"INACTIVE","startsAt":%d,"endsAt":%d,
              "nodes":["node01","node02"],"cpus":128,"users":["ann"],"accounts":[],"flags":["MAINT"]}]}
            """
                    .formatted(CommandRun.NOW, CommandRun.NOW + 7_200_000);

    private final FakeMesh mesh =
            new FakeMesh()
                    .on("GET", "/v1/configuration", CONFIGURATION)
                    .on("POST", "/v1/configuration/changes", "{\"revision\":8}")
                    .on("GET", "/v1/reservations", RESERVATIONS)
                    .on("GET", "/v1/nodes", Samples.nodes("IDLE", "IDLE"));

    @AfterEach
    void close() {
        mesh.close();
    }

    private CommandRun.Outcome run(String... words) {
        return new CommandRun(mesh).run(words);
    }

    private String asked() {
        return mesh.requests().getLast().body();
    }

    @Test
    void one_is_made_with_slurms_names() {
        CommandRun.Outcome outcome =
                run(
                        "scontrol",
                        "create",
                        "reservation",
                        "ReservationName=exam",
                        "StartTime=2026-11-21T08:00:00",
                        "Duration=90",
                        "NodeCnt=2",
                        "PartitionName=gpu",
                        "Users=ann,-bob",
                        "Flags=maint,daily");

        assertThat(outcome.out()).isEqualTo("Reservation created: exam\n");
        assertThat(asked())
                .isEqualTo(
                        "{\"reservations\":{\"exam\":{\"nodeCount\":2,\"nodes\":null,\"partition\":\"gpu\",\"users\":[\"ann\",\"-bob\"],\"flags\":[\"MAINT\",\"DAILY\"],\"start\":\"2026-11-21T08:00:00\",\"duration\":\"01:30:00\"}}}");
    }

    @Test
    void one_goes_when_nobody_has_used_it_for_so_long() {
        run(
                "scontrol",
                "create",
                "ReservationName=exam",
                "StartTime=now",
                "Duration=60",
                "Nodes=ALL",
                "Users=ann",
                "Flags=magnetic,purge_comp=10:00");

        assertThat(asked())
                .contains("\"flags\":[\"MAGNETIC\",\"PURGE_COMP\"],\"purgeAfter\":\"00:10:00\"");
    }

    @Test
    void one_without_a_name_has_its_first_owners() {
        CommandRun.Outcome outcome =
                run(
                        "scontrol",
                        "create",
                        "reservation",
                        "starttime=now",
                        "endtime=now+60",
                        "accounts=team",
                        "nodes=ALL");

        assertThat(outcome.out()).isEqualTo("Reservation created: team_1\n");
        assertThat(asked()).contains("\"duration\":\"00:01:00\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Users=ann Nodes=ALL | A start time must be specified.",
                "Users=ann Nodes=ALL Duration=60 | A start time must be specified.",
                "Users=ann Nodes=ALL StartTime=now | An end time or duration must be specified.",
                "Users=ann StartTime=now Duration=60 | Nodes, NodeCnt or PartitionName must be specified.",
                "Nodes=ALL StartTime=now Duration=60 | Either Users or Accounts must be specified."
            })
    void what_is_missing_is_named(String words, String missing) {
        var line = new ArrayList<>(List.of("scontrol", "create", "ReservationName=x"));
        line.addAll(List.of(words.split(" ")));

        assertThat(new CommandRun(mesh).run(line))
                .isEqualTo(
                        new CommandRun.Outcome(
                                1,
                                "",
                                "scontrol: error: " + missing + "  No reservation created.\n"));
    }

    @Test
    void a_name_that_is_taken_is_refused() {
        CommandRun.Outcome outcome =
                run("scontrol", "create", "ReservationName=course", "users=ann");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err())
                .isEqualTo("Error creating the reservation: Duplicate reservation name: course\n");
    }

    @Test
    void nodes_that_nobody_knows_are_named() {
        CommandRun.Outcome outcome =
                run(
                        "scontrol",
                        "create",
                        "ReservationName=x",
                        "users=ann",
                        "nodes=node[01-02],nope");

        assertThat(outcome)
                .isEqualTo(
                        new CommandRun.Outcome(
                                1,
                                "",
                                "Error creating the reservation: Invalid node name specified: there is no node nope\n"));
        assertThat(mesh.requests()).noneMatch(it -> it.method().equals("POST"));
    }

    @Test
    void nodes_that_are_busy_are_told_so() {
        mesh.on(
                "POST",
                "/v1/configuration/changes",
                Reply.problem(409, "nodes_busy", "Requested nodes are busy: job 17 on node01"));

        CommandRun.Outcome outcome =
                run(
                        "scontrol",
                        "create",
                        "ReservationName=x",
                        "users=ann",
                        "nodes=node01",
                        "starttime=now",
                        "duration=60");

        assertThat(outcome.err())
                .isEqualTo(
                        "Error creating the reservation: Requested nodes are busy: job 17 on node01\n");
    }

    @Test
    void a_later_start_leaves_its_end_where_it_is() {
        run("scontrol", "update", "ReservationName=course", "StartTime=2026-11-20T13:00:00");

        assertThat(asked()).contains("\"start\":\"2026-11-20T13:00:00\",\"duration\":\"01:00:00\"");
    }

    @Test
    void users_and_flags_are_added_and_taken_away() {
        CommandRun.Outcome outcome =
                run("scontrol", "update", "ReservationName=course", "Users+=bob", "Flags-=MAINT");

        assertThat(outcome.out()).isEqualTo("Reservation updated.\n");
        assertThat(asked())
                .isEqualTo(
                        "{\"reservations\":{\"course\":{\"users\":[\"ann\",\"bob\"],\"flags\":null}}}");
    }

    @Test
    void one_is_deleted() {
        int status = run("scontrol", "delete", "ReservationName=course").exitCode();

        assertThat(status).isZero();
        assertThat(asked()).isEqualTo("{\"reservations\":{\"course\":null}}");
    }

    @Test
    void one_that_is_not_there_cannot_be_deleted() {
        CommandRun.Outcome outcome = run("scontrol", "delete", "ReservationName=gone");

        assertThat(outcome.err())
                .isEqualTo(
                        "Error deleting the reservation: Requested reservation is invalid: there is no gone\n");
    }

    @Test
    void all_are_shown_as_slurm_shows_them() {
        assertThat(run("scontrol", "show", "reservation").out())
                .isEqualTo(
                        """
                        ReservationName=course StartTime=2026-11-20T10:01:06 EndTime=2026-11-20T12:01:06 Duration=02:00:00
                           Nodes=node[01-02] NodeCnt=2 CoreCnt=128 Features=(null) PartitionName=(null) Flags=MAINT,SPEC_NODES
                           TRES=cpu=128
                           Users=ann Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a
                           MaxStartDelay=(null)

                        """);
    }

    @Test
    void sinfo_lists_them() {
        assertThat(run("sinfo", "-T").out())
                .isEqualTo(
                        """
                        RESV_NAME     STATE           START_TIME             END_TIME     DURATION  NODELIST
                        course     INACTIVE  2026-11-20T10:01:06  2026-11-20T12:01:06     02:00:00  node[01-02]
                        """);
    }

    @Test
    void none_are_said_to_be_none() {
        mesh.on("GET", "/v1/reservations", "{\"reservations\":[]}");

        assertThat(run("sinfo", "--reservation").out())
                .isEqualTo("No reservations in the system\n");
    }

    @Test
    void licenses_are_shown() {
        mesh.on(
                "GET",
                "/v1/licenses",
                "{\"licenses\":[{\"name\":\"matlab\",\"total\":10,\"used\":3,\"free\":7}]}");

        assertThat(run("scontrol", "show", "licenses").out())
                .isEqualTo("LicenseName=matlab\n    Total=10 Used=3 Free=7 Reserved=0 Remote=no\n");
    }
}
