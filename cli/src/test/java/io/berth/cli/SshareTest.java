package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// `sshare` and `berth share explain`. The listings are those of a real Slurm 22.05.8 for this
/// tree.
final class SshareTest {

    private static final String ALICE = "e30.eyJ1cG4iOiJhbGljZSIsImdyb3VwcyI6WyJ1c2VyIl19.x";

    private final FakeMesh mesh =
            new FakeMesh()
                    .on(
                            "GET",
                            "/v1/accounting/shares",
                            """
                            {"asOf":1,"rule":"FAIR_TREE","halfLifeSeconds":1209600,"shares":[
                             {"account":"root","depth":0,"rawShares":"","normShares":0.000000,"rawUsage":4586,"normUsage":1.0,"effectiveUsage":1.000000},
                             {"account":"root","user":"root","depth":1,"rawShares":"1","normShares":0.009804,"rawUsage":0,"normUsage":0.000000,"effectiveUsage":0.000000,"levelFs":"inf","fairShare":1.000000},
                             {"account":"bench","depth":1,"rawShares":"1","normShares":0.009804,"rawUsage":66,"normUsage":0.014607,"effectiveUsage":0.014607,"levelFs":"0.671188"},
                             {"account":"bench","user":"bench","depth":2,"rawShares":"1","normShares":0.500000,"rawUsage":0,"normUsage":0.000000,"effectiveUsage":0.000000,"levelFs":"inf","fairShare":0.500000},
                             {"account":"bench","user":"root","depth":2,"rawShares":"1","normShares":0.500000,"rawUsage":66,"normUsage":0.014607,"effectiveUsage":1.000000,"levelFs":"0.500000","fairShare":0.375000},
                             {"account":"team_a","depth":1,"rawShares":"50","normShares":0.490196,"rawUsage":3839,"normUsage":0.837148,"effectiveUsage":0.837148,"levelFs":"0.585555"},
                             {"account":"team_a","user":"alice","depth":2,"rawShares":"30","normShares":0.600000,"rawUsage":2559,"normUsage":0.558099,"effectiveUsage":0.666667,"levelFs":"0.900000","fairShare":0.125000},
                             {"account":"team_a","user":"bob","depth":2,"rawShares":"20","normShares":0.400000,"rawUsage":1279,"normUsage":0.279049,"effectiveUsage":0.333333,"levelFs":"1.200000","fairShare":0.250000},
                             {"account":"team_b","depth":1,"rawShares":"30","normShares":0.294118,"rawUsage":679,"normUsage":0.148245,"effectiveUsage":0.148245,"levelFs":"1.983996"},
                             {"account":"team_b","user":"carol","depth":2,"rawShares":"15","normShares":0.500000,"rawUsage":639,"normUsage":0.139525,"effectiveUsage":0.941176,"levelFs":"0.531250","fairShare":0.625000},
                             {"account":"team_b","user":"dave","depth":2,"rawShares":"15","normShares":0.500000,"rawUsage":39,"normUsage":0.008720,"effectiveUsage":0.058824,"levelFs":"8.499908","fairShare":0.750000},
                             {"account":"team_c","depth":1,"rawShares":"20","normShares":0.196078,"rawUsage":0,"normUsage":0.000000,"effectiveUsage":0.000000,"levelFs":"inf"},
                             {"account":"team_c","user":"eve","depth":2,"rawShares":"20","normShares":1.000000,"rawUsage":0,"normUsage":0.000000,"effectiveUsage":0.000000,"levelFs":"inf","fairShare":1.000000}]}
                            """);

    @AfterEach
    void close() {
        mesh.close();
    }

    private String out(String... words) {
        return new CommandRun(mesh).run(words).out();
    }

    @Test
    void the_cluster_is_a_column() {
        mesh.on("GET", "/v1/configuration", "{\"revision\":1,\"document\":{\"name\":\"atlas\"}}");

        assertThat(out("sshare", "-U", "-u", "eve", "-n", "-P", "--format=Account,Cluster"))
                .isEqualTo("  team_c|atlas\n");
    }

    @Test
    void all_of_the_tree_looks_as_slurms() {
        assertThat(out("sshare", "-a"))
                .isEqualTo(
                        """
                        Account                    User  RawShares  NormShares    RawUsage  EffectvUsage  FairShare\s
                        -------------------- ---------- ---------- ----------- ----------- ------------- ----------\s
                        root                                          0.000000        4586      1.000000           \s
                         root                      root          1    0.009804           0      0.000000   1.000000\s
                         bench                                   1    0.009804          66      0.014607           \s
                          bench                   bench          1    0.500000           0      0.000000   0.500000\s
                          bench                    root          1    0.500000          66      1.000000   0.375000\s
                         team_a                                 50    0.490196        3839      0.837148           \s
                          team_a                  alice         30    0.600000        2559      0.666667   0.125000\s
                          team_a                    bob         20    0.400000        1279      0.333333   0.250000\s
                         team_b                                 30    0.294118         679      0.148245           \s
                          team_b                  carol         15    0.500000         639      0.941176   0.625000\s
                          team_b                   dave         15    0.500000          39      0.058824   0.750000\s
                         team_c                                 20    0.196078           0      0.000000           \s
                          team_c                    eve         20    1.000000           0      0.000000   1.000000\s
                        """);
    }

    @Test
    void a_column_of_partitions_is_shown_where_it_is_asked_for() {
        assertThat(out("sshare", "-m", "-P", "-U", "-a").lines().limit(2))
                .containsExactly(
                        "Account|User|Partition|RawShares|NormShares|RawUsage|EffectvUsage|FairShare",
                        " root|root||1|0.009804|0|0.000000|1.000000");
        assertThat(out("sshare", "-l", "-m", "-P", "-n", "-U", "-a")).startsWith(" root|root||1|");
    }

    @Test
    void a_user_sees_the_accounts_and_himself() {
        assertThat(new CommandRun(mesh).with("BERTH_TOKEN", ALICE).run("sshare", "-P", "-n").out())
                .isEqualTo(
                        """
                        root|||0.000000|4586|1.000000|
                         bench||1|0.009804|66|0.014607|
                         team_a||50|0.490196|3839|0.837148|
                          team_a|alice|30|0.600000|2559|0.666667|0.125000
                         team_b||30|0.294118|679|0.148245|
                         team_c||20|0.196078|0|0.000000|
                        """);
    }

    @Test
    void the_long_listing_has_level_fs() {
        assertThat(out("sshare", "-l", "-A", "team_a", "-u", "bob"))
                .isEqualTo(
                        """
                        Account                    User  RawShares  NormShares    RawUsage   NormUsage  EffectvUsage  FairShare    LevelFS\s
                        -------------------- ---------- ---------- ----------- ----------- ----------- ------------- ---------- ----------\s
                         team_a                                 50    0.490196        3839    0.837148      0.837148              0.585555\s
                          team_a                    bob         20    0.400000        1279    0.279049      0.333333   0.250000   1.200000\s
                        """);
    }

    @Test
    void an_account_that_is_none_gives_the_titles_alone() {
        assertThat(out("sshare", "-A", "nosuch").lines()).hasSize(2);
    }

    @Test
    void a_field_that_is_none_is_refused() {
        assertThat(new CommandRun(mesh).run("sshare", "-o", "Account,Foo"))
                .isEqualTo(new Outcome(1, "", "sshare: error: Unknown field 'Foo'\n"));
    }

    @Test
    void a_share_is_explained_from_the_tree_down() {
        assertThat(out("share", "explain", "bob"))
                .isEqualTo(
                        """
                        bob in account team_a: fair share 0.250000
                          team_a: 50 shares are 49.0 % of its level's; used 3839, 83.7 % of its level's usage: LevelFS 0.585555, over its share
                            bob: 20 shares are 40.0 % of its level's; used 1279, 33.3 % of its level's usage: LevelFS 1.200000, under its share
                        At each level the higher LevelFS goes first, with all that is below it.
                        6 users go before: the rank is 2 of 8.
                        Usage counts half after 14 days.
                        """);
    }

    @Test
    void who_has_used_nothing_goes_first() {
        assertThat(out("share", "explain", "eve"))
                .contains(
                        "eve: 20 shares are 100.0 % of its level's; used 0",
                        "LevelFS inf, nothing used")
                .contains("Nobody goes before, 1 stands beside: the rank is 8 of 8.");
    }

    @Test
    void who_is_in_no_account_has_no_share() {
        assertThat(new CommandRun(mesh).run("share", "explain", "mallory"))
                .isEqualTo(new Outcome(1, "", "share: error: user mallory is in no account\n"));
    }

    @Test
    void what_is_spent_of_budgets_is_told() {
        mesh.on(
                "GET",
                "/v1/accounting/budgets",
                """
                {"asOf":1,"budgets":[
                 {"holder":"account/team_a","limit":"GrpTRESMins","resource":"gres/gpu","minutes":60000,"spentMinutes":1200},
                 {"holder":"qos/high","limit":"GrpWall","resource":"","minutes":600,"spentMinutes":700}]}
                """);

        assertThat(out("share", "budget", "-P"))
                .isEqualTo(
                        """
                        Holder|Limit|Resource|Minutes|Spent|Left
                        account/team_a|GrpTRESMins|gres/gpu|60000|1200|58800
                        qos/high|GrpWall||600|700|0
                        """);
    }
}
