package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.cli.FakeMesh.Reply;
import io.berth.cli.FakeMesh.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `sacctmgr` and `berth apply`.
final class SacctmgrTest {

    private static final String CONFIGURATION =
            """
            {"revision":7,"author":"root","changedAt":1,"document":{"name":"c","defaultAccount":"team_a",
             "defaultQos":"normal",
             "qos":{"normal":{},"high":{"priority":100,"flags":["DenyOnLimit"],"usageFactor":2.5,
              "limits":{"MaxTRESPU":"gres/gpu=8,cpu=64","MaxWall":"1-0"}}},
             "adminLevels":{"root":"admin"},
             "accounts":{"root":{"users":{"root":{"shares":1}}},
              "team_a":{"shares":50,"description":"Team A","users":{"alice":{"shares":30},"bob":{"shares":20}}},
              "team_b":{"shares":30,"parent":"team_a","coordinators":["dora"],"guarantee":{"gres/gpu":8},"limits":{"GrpTRES":{"gres/gpu":16}},
               "users":{"alice":{"shares":"parent","default":true}}}}}}
            """;

    private static final String CHANGED =
            """
            {"revision":8,"published":true,"changes":[
             {"path":"accounts.team_a.shares","before":"50","after":"51"},
             {"path":"accounts.team_c.shares","after":"2"},{"path":"qos.low.priority","before":"1"}]}
            """;

    private final FakeMesh mesh =
            new FakeMesh()
                    .on("GET", "/v1/configuration", CONFIGURATION)
                    .on(
                            "GET",
                            "/v1/configuration/revisions",
                            """
                            {"revisions":[{"revision":7,"author":"root","changedAt":1795168866000}]}
                            """)
                    .on("POST", "/v1/configuration/changes", CHANGED)
                    .on("PUT", "/v1/configuration", CHANGED);

    @TempDir Path folder = Path.of("");

    @AfterEach
    void close() {
        mesh.close();
    }

    private Outcome run(String line) {
        return new CommandRun(mesh).run(List.of(line.split(" ")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "add account team_c parent=team_a fairshare=2 description=C | {\"accounts\":{\"team_c\":{\"parent\":\"team_a\",\"shares\":2,\"description\":\"C\"}}}",
                "modify account team_a set fairshare=parent | {\"accounts\":{\"team_a\":{\"shares\":\"parent\"}}}",
                "modify account where name=team_b set GrpTRES=cpu=4 | {\"accounts\":{\"team_b\":{\"limits\":{\"GrpTRES\":\"cpu=4,gres/gpu=16\"}}}}",
                "modify account team_b set GrpTRES=gres/gpu=-1 | {\"accounts\":{\"team_b\":{\"limits\":{\"GrpTRES\":null}}}}",
                "modify account team_b set MaxJobs=5 MaxWall=2-0 qos=high,normal | {\"accounts\":{\"team_b\":{\"limits\":{\"MaxJobs\":5,\"MaxWall\":\"2-0\"},\"qos\":[\"high\",\"normal\"]}}}",
                "modify account team_b set Guarantee=cpu=64 | {\"accounts\":{\"team_b\":{\"guarantee\":\"cpu=64,gres/gpu=8\"}}}",
                "modify account team_b set guar=-1 | {\"accounts\":{\"team_b\":{\"guarantee\":null}}}",
                "delete account team_a,team_b | {\"accounts\":{\"team_a\":null,\"team_b\":null}}",
                "add account team_c set parent=team_a GrpTRES=cpu=4 | {\"accounts\":{\"team_c\":{\"parent\":\"team_a\",\"limits\":{\"GrpTRES\":\"cpu=4\"}}}}",
                "add user carol account=team_b fairshare=3 | {\"accounts\":{\"team_b\":{\"users\":{\"carol\":{\"shares\":3}}}}}",
                "modify user where name=alice account=team_a set fairshare=-1 | {\"accounts\":{\"team_a\":{\"users\":{\"alice\":{\"shares\":null}}}}}",
                "modify user alice set defaultaccount=team_a | {\"accounts\":{\"team_a\":{\"users\":{\"alice\":{\"default\":true}}},\"team_b\":{\"users\":{\"alice\":{\"default\":null}}}}}",
                "modify user alice account=team_a partition=batch set MaxJobs=1 | {\"accounts\":{\"team_a\":{\"users\":{\"alice\":{\"partitions\":{\"batch\":{\"MaxJobs\":1}}}}}}}",
                "delete user alice | {\"accounts\":{\"team_a\":{\"users\":{\"alice\":null}},\"team_b\":{\"users\":{\"alice\":null}}}}",
                "delete user alice account=team_b | {\"accounts\":{\"team_b\":{\"users\":{\"alice\":null}}}}",
                "modify user where name=alice set AdminLevel=Operator | {\"adminLevels\":{\"alice\":\"operator\"}}",
                "modify user bob set AdminLevel=Admin fairshare=3 | {\"accounts\":{\"team_a\":{\"users\":{\"bob\":{\"shares\":3}}}},\"adminLevels\":{\"bob\":\"admin\"}}",
                "modify user root set adminlevel=None | {\"adminLevels\":{\"root\":null}}",
                "add user carol account=team_b AdminLevel=Operator | {\"accounts\":{\"team_b\":{\"users\":{\"carol\":{}}}},\"adminLevels\":{\"carol\":\"operator\"}}",
                "delete user root | {\"accounts\":{\"root\":{\"users\":{\"root\":null}}},\"adminLevels\":{\"root\":null}}",
                "add qos low priority=1 flags=DenyOnLimit | {\"qos\":{\"low\":{\"priority\":1,\"flags\":[\"DenyOnLimit\"]}}}",
                "modify qos high set MaxTRESPerUser=gres/gpu=4 flags+=OverPartQos | {\"qos\":{\"high\":{\"limits\":{\"MaxTRESPU\":\"cpu=64,gres/gpu=4\"},\"flags\":[\"DenyOnLimit\",\"OverPartQos\"]}}}",
                "add coordinator accounts=team_a,team_b names=carol | {\"accounts\":{\"team_a\":{\"coordinators\":[\"carol\"]},\"team_b\":{\"coordinators\":[\"dora\",\"carol\"]}}}",
                "delete coordinator account=team_b name=dora | {\"accounts\":{\"team_b\":{\"coordinators\":[]}}}",
                "add account lab9 desc=x org=y | {\"accounts\":{\"lab9\":{\"description\":\"x\",\"organization\":\"y\"}}}",
                "add acct lab9 d=x o=y p=team_a f=2 MaxJ=5 GrpTRESM=cpu=9 q=high | {\"accounts\":{\"lab9\":{\"description\":\"x\",\"organization\":\"y\",\"parent\":\"team_a\",\"shares\":2,\"limits\":{\"MaxJobs\":5,\"GrpTRESMins\":\"cpu=9\"},\"qos\":[\"high\"]}}}",
                "mod acc n=team_b set org=y MaxWallDur=1-0 MaxTRESPerN=cpu=4 | {\"accounts\":{\"team_b\":{\"organization\":\"y\",\"limits\":{\"MaxWall\":\"1-0\",\"MaxTRESPerNode\":\"cpu=4\"}}}}",
                "u u alice set defaulta=team_a ad=op | {\"accounts\":{\"team_a\":{\"users\":{\"alice\":{\"default\":true}}},\"team_b\":{\"users\":{\"alice\":{\"default\":null}}}},\"adminLevels\":{\"alice\":\"operator\"}}",
                "mod user alice ac=team_a part=batch set MaxJobs=1 | {\"accounts\":{\"team_a\":{\"users\":{\"alice\":{\"partitions\":{\"batch\":{\"MaxJobs\":1}}}}}}}",
                "mod q high set pri=3 gra=60 usagef=1.5 preemptm=requeue fl=DenyOnLimit | {\"qos\":{\"high\":{\"priority\":3,\"graceTime\":60,\"usageFactor\":1.5,\"preemptMode\":\"requeue\",\"flags\":[\"DenyOnLimit\"]}}}",
                "del co acc=team_b n=dora | {\"accounts\":{\"team_b\":{\"coordinators\":[]}}}",
                "modify qos high set flags-=DenyOnLimit | {\"qos\":{\"high\":{\"flags\":null}}}",
            })
    void a_command_changes_what_it_names_and_nothing_else(String command, String patch) {
        Outcome outcome = run("sacctmgr -i " + command);

        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exitCode()).isZero();
        Request made = mesh.requests().getLast();
        assertThat(made.path()).isEqualTo("/v1/configuration/changes");
        assertThat(made.header("If-Match")).isEqualTo("\"7\"");
        assertThat(made.body()).isEqualTo(patch);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "account team_a | team_a | {\"account\":\"team_a\"}",
                "user where name=alice account=team_b | alice in team_b | {\"account\":\"team_b\",\"user\":\"alice\"}",
                "user bob | bob in team_a | {\"account\":\"team_a\",\"user\":\"bob\"}",
            })
    void usage_is_reset(String whose, String told, String body) {
        mesh.on("POST", UsageReset.PATH, "{}");

        Outcome outcome = run("sacctmgr -i modify " + whose + " set RawUsage=0");

        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out()).contains("  " + told + "\n Settings\n  RawUsage = 0\n");
        assertThat(mesh.requests().getLast().path()).isEqualTo(UsageReset.PATH);
        assertThat(mesh.requests().getLast().body()).isEqualTo(body);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "account team_a set RawUsage=5 | RawUsage can only be set to 0, and alone",
                "account team_a set RawUsage=0 fairshare=3 | RawUsage can only be set to 0, and alone",
                "qos high set RawUsage=0 | RawUsage of a QOS is that of its jobs' accounts: reset those",
                "user nobody set RawUsage=0 | Nothing modified",
            })
    void usage_is_reset_to_nothing_or_not(String what, String told) {
        Outcome outcome = run("sacctmgr -i modify " + what);

        assertThat(outcome.exitCode()).isOne();
        assertThat(outcome.out() + outcome.err()).contains(told);
    }

    @Test
    void what_usage_is_counted_of_is_listed_with_the_types_of_gpus_that_there_are() {
        mesh.on(
                "GET",
                "/v1/nodes",
                """
                {"nodes":[{"gpus":[{"type":"h100"},{"type":"h100"}]},{"gpus":[{"type":"a100"}]},{"gpus":[]}]}
                """);

        assertThat(run("sacctmgr show tres").out())
                .isEqualTo(
                        """
                            Type            Name     ID\s
                        -------- --------------- ------\s
                             cpu                      1\s
                             mem                      2\s
                            node                      4\s
                         billing                      5\s
                            gres             gpu   1001\s
                            gres        gpu:a100   1002\s
                            gres        gpu:h100   1003\s
                        """);
        assertThat(run("sacctmgr -nP list TRES type=gres format=name,id").out())
                .isEqualTo("gpu|1001\ngpu:a100|1002\ngpu:h100|1003\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "show user alice withassoc format=user,account,share,defaultaccount | alice,team_a,30,team_b alice,team_b,parent,team_b",
                "-s show user alice format=user,account account=team_b | alice,team_b",
                "show user bob WithAssoc | bob,team_a,None,c,team_a,,20,,,,",
                "show user bob withcoord format=user | bob",
                "show account team_b withassoc format=account,user,grptres | team_b,,gres/gpu=16 team_b,alice,",
                "show assoc user=bob wopinfo format=user,account | bob,team_a",
                "sho ass u=bob wopi f=user,account | bob,team_a",
                "lis acct team_a wopl format=account | team_a",
                "show us n=bob WithA f=user,account | bob,team_a"
            })
    void users_and_accounts_are_shown_with_their_associations(String asked, String lines) {
        assertThat(run("sacctmgr -nP " + asked).out().strip().replace('|', ',').replace('\n', ' '))
                .isEqualTo(lines);
    }

    @Test
    void who_only_reads_changes_nothing() {
        Outcome outcome = run("sacctmgr -r -i -Q modify account team_a set fairshare=51");

        assertThat(outcome)
                .isEqualTo(new Outcome(1, "", "Can't run this command in readonly mode.\n"));
        assertThat(mesh.requests()).isEmpty();
        assertThat(run("sacctmgr -r show account -nP format=account").exitCode()).isZero();
    }

    @Test
    void what_changes_is_shown_and_nothing_is_done_without_a_yes() {
        Outcome outcome = run("sacctmgr modify account team_a set fairshare=51");

        assertThat(outcome)
                .isEqualTo(
                        new Outcome(
                                0,
                                """
                                 Modifying account(s)
                                  team_a
                                 Settings
                                  ~ accounts.team_a.shares: 50 -> 51
                                  + accounts.team_c.shares: 2
                                  - qos.low.priority: 1
                                Would you like to commit changes?
                                (N/y):  Changes Discarded
                                """,
                                ""));
        assertThat(mesh.requests().getLast().path()).endsWith("?dryRun=true");
    }

    @Test
    void a_yes_commits() {
        new CommandRun(mesh)
                .input("y\n")
                .run("sacctmgr", "modify", "account", "team_a", "set", "fairshare=51");

        assertThat(mesh.requests().getLast().path()).isEqualTo("/v1/configuration/changes");
    }

    @ParameterizedTest
    @CsvSource({"config", "conf", "co", "configuration"})
    void the_configuration_is_shown_by_the_first_letters_of_its_name(String word) {
        assertThat(run("sacctmgr show " + word).out()).contains("\"defaultAccount\"");
    }

    @Test
    void what_somebody_else_changed_meanwhile_is_not_undone() {
        mesh.on(
                "POST",
                "/v1/configuration/changes",
                Reply.problem(
                        412, "conflict", "revision 7 was changed meanwhile: the latest is 8"));

        assertThat(run("sacctmgr -i delete account team_a"))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "sacctmgr: error: revision 7 was changed meanwhile: the latest is 8\n"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "add user zed | ` Need name of account to add user to.`",
                "modify account team_a | ` No settings: give them after 'set'`",
                "modify user alice set fairshare=abc | `sacctmgr: error: Invalid value for FairShare (abc)`",
                "modify user alice set maxjobs=many | `sacctmgr: error: Invalid value for MaxJobs (many)`",
                "modify user alice set maxwall=long | ` Bad MaxWall time format: long`",
                "modify account team_a set defaultq=high colo=red | ` Unknown option: colo=red`",
                "dump | `sacctmgr: error: dump is not supported`",
                "show federation | `sacctmgr: error: show federation is not supported: there is one cluster`",
                "show stats | `sacctmgr: error: show stats is not supported: sdiag tells`",
                "modify account team_a set colour=red | ` Unknown option: colour=red`",
                "modify account team_a colour=red set fairshare=1 | ` Unknown condition: colour`",
                "modify qos high set GrpTRES=gpu=1 | ` grptres: 'gpu=1' is no amount of a resource`",
                "add partition p | ` 'partition' is none of account, user, qos and coordinator`",
                "show events nodes=gpu-01 | `sacctmgr: error: show event is not supported: the books do not keep why nodes were down or drained; sinfo -R tells`",
                "show wckey | `sacctmgr: error: show wckey is not supported: jobs have no WCKeys here`",
                "explode | ` 'explode' is none of add, modify, delete and show`",
            })
    void a_wrong_use_is_told_in_one_line(String command, String complaint) {
        Outcome outcome = run("sacctmgr -i " + command);

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.err().lines()).hasSize(1);
        assertThat(outcome.err()).startsWith(complaint);
    }

    @Test
    void the_tree_of_associations_looks_as_slurms() {
        assertThat(run("sacctmgr show assoc tree format=account,user,share").out())
                .isEqualTo(
                        """
                        Account                    User     Share\s
                        -------------------- ---------- ---------\s
                        root                                    1\s
                         root                      root         1\s
                         team_a                                50\s
                          team_a                  alice        30\s
                          team_a                    bob        20\s
                          team_b                               30\s
                           team_b                 alice    parent\s
                        """);
    }

    @Test
    void limits_of_associations_and_qos_are_shown() {
        assertThat(
                        run("sacctmgr -P -n show assoc account=team_b format=account,user,grptres")
                                .out())
                .isEqualTo("team_b||gres/gpu=16\nteam_b|alice|\n");
        assertThat(
                        run("sacctmgr -P show qos high format=name,priority,flags,usagefactor,maxwall,MaxTRESPerUser")
                                .out())
                .isEqualTo(
                        """
                        Name|Priority|Flags|UsageFactor|MaxWall|MaxTRESPerUser
                        high|100|DenyOnLimit|2.500000|1-0|cpu=64,gres/gpu=8
                        """);
    }

    @Test
    void accounts_users_and_revisions_are_shown() {
        assertThat(run("sacctmgr -P -n show account team_a").out()).isEqualTo("team_a|Team A|\n");
        assertThat(run("sacctmgr -P -n show account team_b format=account,guarantee").out())
                .isEqualTo("team_b|gres/gpu=8\n");
        assertThat(run("sacctmgr -P -n show user format=user,def,accounts").out())
                .isEqualTo("alice|team_b|team_a,team_b\nbob|team_a|team_a\nroot|root|root\n");
        assertThat(run("sacctmgr -P show user format=user,AdminLevel").out())
                .isEqualTo("User|Admin\nalice|None\nbob|None\nroot|Administrator\n");
        assertThat(run("sacctmgr -i modify user bob set adminlevel=boss").err())
                .isEqualTo(" AdminLevel=boss is none of None, Operator and Administrator\n");
        assertThat(run("sacctmgr -P -n show transactions").out())
                .isEqualTo("2026-11-20T10:01:06|root|7\n");
    }

    @Test
    void a_file_is_applied_after_its_changes_were_shown() throws IOException {
        Files.writeString(folder.resolve("cluster.yaml"), "name: c\n");

        Outcome outcome = new CommandRun(mesh).in(folder).run("apply", "-i", "-f", "cluster.yaml");

        assertThat(outcome.out())
                .isEqualTo(
                        """
                        ~ accounts.team_a.shares: 50 -> 51
                        + accounts.team_c.shares: 2
                        - qos.low.priority: 1
                        Revision 8 is in force.
                        """);
        Request made = mesh.requests().getLast();
        assertThat(made.method() + " " + made.path()).isEqualTo("PUT /v1/configuration");
        assertThat(made.header("Content-Type")).isEqualTo("application/yaml");
        assertThat(made.body()).isEqualTo("name: c\n");
    }

    @Test
    void a_dry_run_applies_nothing() throws IOException {
        Files.writeString(folder.resolve("cluster.yaml"), "name: c\n");

        new CommandRun(mesh).in(folder).run("apply", "--dry-run", "-f", "cluster.yaml");

        assertThat(mesh.requests())
                .extracting(Request::path)
                .containsExactly("/v1/configuration", "/v1/configuration?dryRun=true");
    }

    @Test
    void a_file_with_a_mistake_is_refused_with_the_place() throws IOException {
        Files.writeString(folder.resolve("cluster.yaml"), "nam: c\n");
        mesh.on(
                "PUT",
                "/v1/configuration",
                Reply.problem(422, "invalid_configuration", "nam: unknown key"));

        assertThat(new CommandRun(mesh).in(folder).run("apply", "-f", "cluster.yaml"))
                .isEqualTo(new Outcome(1, "", "apply: error: nam: unknown key\n"));
        assertThat(new CommandRun(mesh).in(folder).run("apply", "-f", "none.yaml").err())
                .isEqualTo("apply: error: there is no file none.yaml\n");
    }
}
