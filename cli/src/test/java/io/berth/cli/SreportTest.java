package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SreportTest {

    private final FakeMesh mesh =
            new FakeMesh()
                    .on(
                            "GET",
                            "/v1/configuration",
                            """
                            {"revision":7,"document":{"name":"c","accounts":{"root":{"users":{}},
                             "science":{},"team_a":{"parent":"science"},"team_b":{"parent":"science"}}}}
                            """)
                    .on(
                            "GET",
                            "/v1/accounting/report",
                            """
                            {"start":1,"end":2,"usage":[
                             {"account":"gone","user":"eve","gpuType":"","jobs":1,"cpuSeconds":60,"gpuSeconds":0},
                             {"account":"team_a","user":"alice","gpuType":"","jobs":2,"cpuSeconds":3600,"gpuSeconds":600},
                             {"account":"team_a","user":"alice","gpuType":"a100","jobs":1,"cpuSeconds":600,"gpuSeconds":1200},
                             {"account":"team_b","user":"bob","gpuType":"a100","jobs":3,"cpuSeconds":7200,"gpuSeconds":90}]}
                            """);

    @AfterEach
    void close() {
        mesh.close();
    }

    private Outcome run(String line) {
        return new CommandRun(mesh).run(List.of(line.split(" ")));
    }

    @Test
    void accounts_count_what_is_below_them() {
        assertThat(run("sreport cluster AccountUtilizationByUser").out())
                .isEqualTo(
                        """
                        --------------------------------------------------------------------------------
                        Cluster/Account/User Utilization 2026-11-19T00:00:00 - 2026-11-19T23:59:59 (86400 secs)
                        Usage reported in TRES Minutes
                        --------------------------------------------------------------------------------
                          Cluster         Account           Login     Jobs         Used\s
                        --------- --------------- --------------- -------- ------------\s
                                c            root                        6          190\s
                                c         science                        6          190\s
                                c          team_a                        3           70\s
                                c          team_a           alice        3           70\s
                                c          team_b                        3          120\s
                                c          team_b             bob        3          120\s
                                c            gone             eve        1            1\s
                        """);
    }

    /// From the day before on.
    private static final String JOBS =
            """
            {"jobs":[
             {"account":"team_a","user":"alice","partition":"batch","cpus":49,"runs":[
              {"placedAt":1795046400000,"freedAt":1795050000000,"suspendedSeconds":0}]},
             {"account":"team_b","user":"bob","partition":"batch","cpus":1000,"runs":[
              {"placedAt":1795089600000,"suspendedSeconds":0}]},
             {"account":"gone","user":"eve","partition":"batch","cpus":50,"runs":[
              {"placedAt":1795050000000,"freedAt":1795053600000,"suspendedSeconds":1800},
              {"placedAt":1795053600000,"freedAt":1795055400000,"suspendedSeconds":0}]},
             {"account":"team_a","user":"alice","partition":"batch","cpus":4,"runs":[]}]}
            """;

    @Test
    void time_is_told_by_the_size_of_jobs_and_accounts_count_what_is_below_them() {
        mesh.on("GET", "/v1/accounting/jobs", JOBS);

        assertThat(run("sreport job SizesByAccount -t hours start=2026-11-19 end=2026-11-20").out())
                .isEqualTo(
                        """
                        --------------------------------------------------------------------------------
                        Job Sizes 2026-11-19T00:00:00 - 2026-11-19T23:59:59 (86400 secs)
                        Time reported in Hours
                        --------------------------------------------------------------------------------
                          Cluster   Account     0-49 CPUs   50-249 CPUs  250-499 CPUs  500-999 CPUs  >= 1000 CPUs % of cluster\s
                        --------- --------- ------------- ------------- ------------- ------------- ------------- ------------\s
                                c      gone             0            50             0             0             0        0.41%\s
                                c   science            49             0             0             0         12000       99.59%\s
                        """);
        assertThat(mesh.requests().getFirst().path())
                .isEqualTo("/v1/accounting/jobs?start=1795046400000&end=1795132800000");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "FlatView | c,gone,0,3000,0,0,0,0.41% c,team_a,2940,0,0,0,0,0.40% c,team_b,0,0,0,0,720000,99.18%",
                "PrintJobCount FlatView | c,gone,0,1,0,0,0,33.33% c,team_a,1,0,0,0,0,33.33% c,team_b,0,0,0,0,1,33.33%",
                "accounts=team_a grouping=100 | c,team_a,2940,0,0.40%",
                "users=alice,eve grouping=10,60 | c,gone,0,3000,0,50.51% c,science,0,2940,0,49.49%",
                "partitions=debug |"
            })
    void sizes_and_accounts_are_those_asked_for(String asked, @Nullable String lines) {
        mesh.on("GET", "/v1/accounting/jobs", JOBS);
        String times = " start=2026-11-19 end=2026-11-20";

        String told = run("sreport -nP job sizesbyaccount " + asked + times).out();

        assertThat(told.strip().replace('\n', ' ').replace('|', ','))
                .isEqualTo(lines == null ? "" : lines);
    }

    @Test
    void groups_that_do_not_rise_are_refused() {
        assertThat(run("sreport job SizesByAccount grouping=250,50").err())
                .isEqualTo(
                        "sreport: error: Invalid Grouping: 250,50; it is a list of rising numbers, such as 50,250,500,1000\n");
    }

    @Test
    void what_became_of_the_clusters_resources_is_told() {
        mesh.on(
                "GET",
                "/v1/accounting/utilization",
                """
                {"start":1,"end":2,"resources":[
                 {"resource":"cpu","allocated":6000,"down":600,"idle":5400,"reported":12000},
                 {"resource":"gres/gpu","allocated":3600,"down":0,"idle":0,"reported":3600}]}
                """);

        assertThat(run("sreport -P -t Minutes cluster utilization").out())
                .endsWith(
                        """
                        Cluster|Allocated|Down|PLND Down|Idle|Planned|Reported
                        c|100|10|0|90|0|200
                        """);
        assertThat(run("sreport -P -n -t Hours -T gres/gpu cluster Utilization").out())
                .isEqualTo("c|gres/gpu|1|0|0|0|0|1\n");
        assertThat(run("sreport -T billing cluster Utilization").err())
                .isEqualTo(
                        "sreport: error: 'billing' is none of cpu, mem, node and gres/gpu: a cluster has no other\n");
    }

    @Test
    void how_jobs_ended_is_told_by_partition_and_day() {
        mesh.on(
                "GET",
                "/v1/accounting/outcomes",
                """
                {"start":1,"end":2,"step":86400,"outcomes":[
                 {"start":1795046400000,"partition":"batch","state":"COMPLETED","jobs":6},
                 {"start":1795046400000,"partition":"batch","state":"FAILED","jobs":1},
                 {"start":1795046400000,"partition":"batch","state":"TIMEOUT","jobs":1},
                 {"start":1795046400000,"partition":"debug","state":"CANCELLED","jobs":3},
                 {"start":1795132800000,"partition":"batch","state":"CANCELLED","jobs":1},
                 {"start":1795132800000,"partition":"batch","state":"COMPLETED","jobs":2}]}
                """);

        assertThat(run("sreport job outcomes start=2026-11-19 end=2026-11-21").out())
                .isEqualTo(
                        """
                        --------------------------------------------------------------------------------
                        Job Outcomes 2026-11-19T00:00:00 - 2026-11-20T23:59:59 (172800 secs)
                        Parts of the jobs that ended on a day
                        --------------------------------------------------------------------------------
                          Cluster       Partition        Day     Jobs Completed    Failed Cancelled\s
                        --------- --------------- ---------- -------- --------- --------- ---------\s
                                c           batch 2026-11-19        8       75%       25%        0%\s
                                c           batch 2026-11-20        3       67%        0%       33%\s
                                c           debug 2026-11-19        3        0%        0%      100%\s
                        """);
        assertThat(mesh.requests().getFirst().path())
                .isEqualTo("/v1/accounting/outcomes?start=1795046400000&end=1795219200000");
    }

    private static final String REPORTED =
            """
            {"start":1,"end":2,"resources":[
             {"resource":"cpu","allocated":10800,"down":10800,"idle":14400,"reported":36000},
             {"resource":"gres/gpu","allocated":3600,"down":0,"idle":0,"reported":9000}]}
            """;

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "percent;cpu;bob=20.00% alice=11.67% eve=0.17%",
                "P;cpu;bob=20.00% alice=11.67% eve=0.17%",
                "SecPer;gres/gpu;alice=1800(20.00%) bob=90(1.00%)",
                "minper;gres/gpu;alice=30(20.00%) bob=2(1.00%)",
                "HourPer;cpu;bob=2(20.00%) alice=1(11.67%) eve=0(0.17%)",
                "s;gres/gpu;alice=1800 bob=90"
            })
    void usage_is_told_as_a_part_of_what_there_was(String unit, String tres, String told) {
        mesh.on("GET", "/v1/accounting/utilization", REPORTED);

        assertThat(
                        run("sreport -nP -t %s -T %s user top format=login,used"
                                        .formatted(unit, tres))
                                .out()
                                .strip()
                                .replace('|', '=')
                                .replace('\n', ' '))
                .isEqualTo(told);
    }

    @Test
    void the_clusters_resources_are_told_as_parts_too() {
        mesh.on("GET", "/v1/accounting/utilization", REPORTED);

        assertThat(run("sreport -t minper cluster util").out())
                .endsWith(
                        """
                        Usage reported in TRES Minutes/Percentage of Total
                        --------------------------------------------------------------------------------
                          Cluster            Allocated                 Down            PLND Down                 Idle              Planned             Reported\s
                        --------- -------------------- -------------------- -------------------- -------------------- -------------------- --------------------\s
                                c          180(30.00%)          180(30.00%)             0(0.00%)          240(40.00%)             0(0.00%)         600(100.00%)\s
                        """);
        assertThat(run("sreport -nP -t per cluster util").out())
                .isEqualTo("c|30.00%|30.00%|0.00%|40.00%|0.00%|100.00%\n");
        assertThat(run("sreport -t per cluster util").out())
                .contains("\nUsage reported in Percentage of Total\n");
    }

    @Test
    void a_part_of_what_nobody_counts_is_refused() {
        mesh.on("GET", "/v1/accounting/utilization", REPORTED);

        assertThat(run("sreport -t percent -T billing user top"))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "sreport: error: of billing it is not known how much there is: cpu, mem, node and gres/gpu have a percent\n"));
    }

    @Test
    void accounts_are_told_as_a_tree_and_users_with_all_their_accounts() {
        assertThat(run("sreport -n cluster acc tree format=account,login,used users=alice").out())
                .isEqualTo(
                        """
                        root                                           70\s
                         science                                       70\s
                          team_a                                       70\s
                           team_a                      alice           70\s
                        """);
        mesh.on(
                "GET",
                "/v1/accounting/report",
                """
                {"usage":[{"account":"team_b","user":"root","jobs":1,"cpuSeconds":60},
                 {"account":"team_a","user":"root","jobs":2,"cpuSeconds":120}]}
                """);
        assertThat(run("sreport -nP user top group format=login,proper,account,jobs,used").out())
                .isEqualTo("root|root|team_a, team_b|3|3\n");
    }

    @Test
    void sizes_are_told_as_parts_of_the_cpu_time_of_all_jobs() {
        mesh.on("GET", "/v1/accounting/jobs", JOBS);

        assertThat(
                        run("sreport -nP -t percent job sizes start=2026-11-19 end=2026-11-20 grouping=500")
                                .out())
                .isEqualTo("c|gone|0.41%|0.00%|0.41%\nc|science|0.40%|99.18%|99.59%\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "user top foo=bar | foo=bar",
                "user top tree=1 | tree=1",
                "cluster Utilization users=bob | users=bob",
                "cluster acc topcount=3 | topcount=3",
                "job sizes colour=red | colour=red",
                "job Outcomes users=bob | users=bob"
            })
    void a_condition_that_there_is_not_is_named(String report, String condition) {
        assertThat(run("sreport " + report))
                .isEqualTo(new Outcome(1, "", " Unknown condition: " + condition + "\n"));
        assertThat(mesh.requests()).isEmpty();
    }

    @Test
    void columns_can_be_chosen() {
        assertThat(run("sreport -P user top format=Login,Used,Accounts").out())
                .endsWith("Login|Used|Account\nbob|120|team_b\nalice|70|team_a\neve|1|gone\n");
        assertThat(run("sreport -n user top f=login%-6,used%4 topcount=1").out())
                .isEqualTo("bob     120 \n");
        assertThat(run("sreport -nP cluster AccountUtil form=ac,tresname,used users=bob").out())
                .contains("team_b|cpu|120\n");
        assertThat(run("sreport user top format=login,colour"))
                .isEqualTo(new Outcome(1, "", " Unknown field 'colour'\n"));
        mesh.on("GET", "/v1/accounting/utilization", REPORTED);
        assertThat(
                        run("sreport -nP cluster util format=Al,Down,PlannedDown,reserved,reported")
                                .out())
                .isEqualTo("180|180|0|0|600\n");
        mesh.on("GET", "/v1/accounting/jobs", JOBS);
        assertThat(
                        run("sreport -nP job sizes format=Account start=2026-11-19 end=2026-11-20 gro=500")
                                .out())
                .isEqualTo("gone|3000|0|0.41%\nscience|2940|720000|99.59%\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "user top",
                "u t",
                "us TopUs",
                "cl a",
                "cluster account",
                "cluster UA",
                "cl UserUtilizationByA",
                "job out",
                "j o"
            })
    void names_of_reports_may_be_cut_short(String name) {
        mesh.on("GET", "/v1/accounting/outcomes", "{\"outcomes\":[]}");

        assertThat(run("sreport " + name).err()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "start=today | 1795132800000 | 1795136400000",
                "start=2026-11-02 end=2026-11-01 | 1793577600000 | 1793581200000",
                "s=2026-11-01 e=2026-11-02 | 1793491200000 | 1793577600000"
            })
    void an_end_that_is_not_after_the_start_is_an_hour_later(String times, long start, long end) {
        run("sreport user top " + times);

        assertThat(mesh.requests().getFirst().path())
                .isEqualTo("/v1/accounting/report?start=%d&end=%d".formatted(start, end));
    }

    @Test
    void a_cluster_that_is_not_this_one_is_refused() {
        assertThat(run("sreport -nP user top cluster=c format=login topcount=1").out())
                .isEqualTo("bob\n");
        assertThat(run("sreport user top clusters=other").err())
                .contains("'other' can't be reached");
    }

    @Test
    void the_top_users_come_first_in_each_resource() {
        assertThat(
                        run("sreport -P -n -t seconds -T gres/gpu,gres/gpu:a100 user TopUsage topcount=1")
                                .out())
                .isEqualTo("c|alice|team_a|gres/gpu|3|1800\nc|alice|team_a|gres/gpu:a100|1|1200\n");
    }

    @Test
    void users_and_accounts_can_be_chosen() {
        assertThat(run("sreport -P -n -t Hours cluster UserUtilizationByAccount users=bob").out())
                .isEqualTo("c|bob|team_b|3|2\n");
        assertThat(run("sreport -P -n cluster UserUtilizationByAccount accounts=team_a").out())
                .isEqualTo("c|alice|team_a|3|70\n");
    }

    @Test
    void the_time_is_asked_for_in_milliseconds() {
        run("sreport user topusage start=2026-11-01 end=2026-11-02T12:00");

        assertThat(mesh.requests().getFirst().path())
                .isEqualTo("/v1/accounting/report?start=1793491200000&end=1793620800000");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "cluster | which report? There are: cluster Utilization, cluster AccountUtilizationByUser, cluster UserUtilizationByAccount, user TopUsage, job Outcomes, job SizesByAccount",
                "job SizesByWckey | job SizesByWckey is not supported: jobs have no WCKeys here; accounts and comments tell them apart",
                "cluster WCKeyUtilizationByUser | cluster WCKeyUtilizationByUser is not supported: jobs have no WCKeys here; accounts and comments tell them apart",
                "-T cpu job Outcomes | job Outcomes tells of jobs, not of resources: leave out -T and -t",
                "user TopUsage start=soon | Invalid time specification: soon",
                "user TopUsage topcount=0 | Invalid TopCount: 0",
                "-t Years user TopUsage | Invalid time format: Years; Seconds, Minutes, Hours, Percent, SecPer, MinPer and HourPer are known",
                "-T gpu user TopUsage | 'gpu' is none of cpu, mem, node, billing, gres/gpu and gres/gpu:TYPE",
            })
    void a_wrong_use_is_told_in_one_line(String words, String complaint) {
        Outcome outcome = run("sreport " + words);

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err()).isEqualTo("sreport: error: " + complaint + "\n");
    }
}
