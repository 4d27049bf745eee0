package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `scontrol show assoc_mgr`: two users, of whom one has a job that runs and one that waits.
final class AssocMgrTest {

    private static final String CONFIGURATION =
            """
            {"revision":1,"document":{"name":"atlas","adminLevels":{"bob":"operator"},
             "accounts":{"root":{"shares":1},
              "lab":{"shares":40,"limits":{"GrpTRES":{"cpu":64},"GrpTRESMins":"gres/gpu=1000","GrpJobs":8},
                     "users":{"alice":{"shares":3},
                              "bob":{"shares":"parent","limits":{"MaxJobs":2,"MaxWall":60}}}}},
             "qos":{"normal":{"priority":10,"limits":{"MaxTRESPerUser":"cpu=32","MaxJobs":5}},
                    "idle":{"preemptMode":"requeue"}}}}
            """;
    private static final String JOBS =
            """
            {"jobs":[
             {"id":1,"state":"RUNNING","account":"lab","user":"alice","qos":"normal","partition":"batch",
              "cpus":4,"memoryMib":2048,"nodes":1,"gpus":2,"billingRateMilli":9000,"timeLimitSeconds":3600,
              "submittedAt":1795168800000,"startedAt":1795168866000},
             {"id":2,"state":"PENDING","account":"lab","user":"alice","qos":"normal","partition":"batch",
              "cpus":4,"submittedAt":1795168800000}]}
            """;
    private static final String SHARES =
            """
            {"shares":[
             {"account":"root","depth":0,"rawUsage":600,"normShares":0,"normUsage":1,"effectiveUsage":1},
             {"account":"lab","depth":1,"rawUsage":600,"normShares":1,"normUsage":1,"effectiveUsage":1},
             {"account":"lab","user":"alice","depth":2,"rawUsage":600,"normShares":0.75,"normUsage":1,
              "effectiveUsage":1,"fairShare":0.5}]}
            """;
    private static final String BUDGETS =
            """
            {"budgets":[{"holder":"account/lab","limit":"GrpTRESMins","resource":"gres/gpu","minutes":1000,"spentMinutes":20}]}
            """;

    private final FakeMesh mesh =
            new FakeMesh()
                    .on("GET", "/v1/configuration", CONFIGURATION)
                    .on("GET", "/v1/jobs", JOBS)
                    .on("GET", "/v1/accounting/shares", SHARES)
                    .on("GET", "/v1/accounting/budgets", BUDGETS);

    @AfterEach
    void close() {
        mesh.close();
    }

    private String out(String... words) {
        Outcome outcome = new CommandRun(mesh).run(words);
        assertThat(outcome.err()).isEmpty();
        return outcome.out();
    }

    @Test
    void users_have_their_accounts_and_levels() {
        assertThat(out("scontrol", "show", "assoc_mgr", "users=alice,bob"))
                .isEqualTo(
                        """
                        Current Association Manager state

                        User Records

                        UserName=alice(65534) DefAccount=lab DefWckey= AdminLevel=None
                        UserName=bob(65534) DefAccount=lab DefWckey= AdminLevel=Operator
                        """);
    }

    @Test
    void an_association_has_its_limits_and_what_is_used_of_them() {
        assertThat(out("scontrol", "show", "assoc_mgr", "accounts=lab"))
                .startsWith(
                        """
                        Current Association Manager state

                        Association Records

                        ClusterName=atlas Account=lab UserName= Partition= Priority=0 ID=2
                            SharesRaw/Norm/Level/Factor=40/1.00/40/0.00
                            UsageRaw/Norm/Efctv=600.00/1.00/1.00
                            ParentAccount=root Lft=2 DefAssoc=No
                            GrpJobs=8(1) GrpJobsAccrue=N(1)
                            GrpSubmitJobs=N(2) GrpWall=N
                            GrpTRES=cpu=64(4),mem=N(2048),node=N(1),billing=N(9),gres/gpu=N(2)
                            GrpTRESMins=billing=N(10),gres/gpu=1000(20)
                            GrpTRESRunMins=cpu=N(240),mem=N(122880),node=N(60),billing=N(540),gres/gpu=N(120)
                            MaxJobs= MaxJobsAccrue= MaxSubmitJobs= MaxWallPJ=
                            MaxTRESPJ=
                            MaxTRESPN=
                            MaxTRESMinsPJ=
                            MinPrioThresh=
                        ClusterName=atlas Account=lab UserName=alice(65534) Partition= Priority=0 ID=3
                            SharesRaw/Norm/Level/Factor=3/0.75/3/0.50
                        """);
        assertThat(out("scontrol", "-o", "show", "assoc", "a=lab", "u=bob", "flags=assoc").lines())
                .last()
                .asString()
                .contains("SharesRaw/Norm/Level/Factor=2147483647/")
                .contains("MaxJobs=2(0) MaxJobsAccrue= MaxSubmitJobs= MaxWallPJ=60");
    }

    @Test
    void a_qos_has_what_each_account_and_user_has_of_it() {
        assertThat(out("scontrol", "show", "assoc_mgr", "flags=QOS"))
                .isEqualTo(
                        """
                        Current Association Manager state

                        QOS Records

                        QOS=normal(1)
                            UsageRaw=
                            GrpJobs=N(1) GrpJobsAccrue=N(1) GrpSubmitJobs=N(2) GrpWall=N
                            GrpTRES=cpu=N(4),mem=N(2048),node=N(1),billing=N(9),gres/gpu=N(2)
                            GrpTRESMins=
                            GrpTRESRunMins=cpu=N(240),mem=N(122880),node=N(60),billing=N(540),gres/gpu=N(120)
                            MaxWallPJ=
                            MaxTRESPJ=
                            MaxTRESPN=
                            MaxTRESMinsPJ=
                            MinPrioThresh=
                            MinTRESPJ=
                            PreemptMode=OFF
                            Priority=10
                            Account Limits
                              lab
                                MaxJobsPA=N(1) MaxJobsAccruePA=N(1) MaxSubmitJobsPA=N(2)
                                MaxTRESPA=cpu=N(4),mem=N(2048),node=N(1),billing=N(9),gres/gpu=N(2)
                            User Limits
                              alice(65534)
                                MaxJobsPU=5(1) MaxJobsAccruePU=N(1) MaxSubmitJobsPU=N(2)
                                MaxTRESPU=cpu=32(4),mem=N(2048),node=N(1),billing=N(9),gres/gpu=N(2)
                        QOS=idle(2)
                            UsageRaw=
                            GrpJobs=N(0) GrpJobsAccrue=N(0) GrpSubmitJobs=N(0) GrpWall=N
                            GrpTRES=cpu=N(0),mem=N(0),node=N(0),billing=N(0),gres/gpu=N(0)
                            GrpTRESMins=
                            GrpTRESRunMins=cpu=N(0),mem=N(0),node=N(0),billing=N(0),gres/gpu=N(0)
                            MaxWallPJ=
                            MaxTRESPJ=
                            MaxTRESPN=
                            MaxTRESMinsPJ=
                            MinPrioThresh=
                            MinTRESPJ=
                            PreemptMode=REQUEUE
                            Priority=0
                            Account Limits
                            User Limits
                        """);
        assertThat(out("scontrol", "show", "assoc_mgr", "qos=gone"))
                .endsWith("\nNo QOS currently cached in Slurm.\n\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "users      | No value given for option users",
                "flags=jobs | invalid flag 'jobs', valid options are 'Assoc, QOS, and/or Users'",
                "jobs=1     | invalid entity: jobs for keyword:show assoc_mgr"
            })
    void what_is_no_selection_is_named(String word, String message) {
        assertThat(new CommandRun(mesh).run("scontrol", "show", "assoc_mgr", word))
                .isEqualTo(new Outcome(1, "", message + "\n"));
    }
}
