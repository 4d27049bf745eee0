package io.berth.accounting.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.groups.Tuple.tuple;

import io.berth.contracts.Blocks;
import io.berth.contracts.Blocks.Block;
import io.berth.contracts.DeclaredGres;
import io.berth.contracts.EndedJobs;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.Gres;
import io.berth.contracts.IndexSet;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.MigGpus;
import io.berth.contracts.NodeName;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.PrivateData;
import io.berth.contracts.SharedGpus;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.config.Levels;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.ConfigEntry.Weights;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.Use.GpuDefaults;
import io.berth.contracts.event.PartitionRules.Use.OverSubscribe;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.PriorityRules;
import io.berth.contracts.event.PriorityRules.FairShareRule;
import io.berth.contracts.event.PriorityRules.UsageReset;
import io.berth.contracts.event.QosRules;
import io.berth.contracts.event.Terms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterFileTest {

    private static final String LEAST =
            """
            name: c
            defaultAccount: everybody
            defaultQos: normal
            partitions: {batch: {default: true}}
            qos: {normal: {}}
            accounts: {everybody: {}}
            """;

    @Test
    void an_entry_that_is_put_in_the_place_of_another_keeps_what_stands_on_it() throws Exception {
        ClusterFile before =
                ClusterFile.parse(
                        LEAST.replace(
                                "{everybody: {}}",
                                "{everybody: {}, team_a: {shares: 50, description: gone, users: {alice: 1}},"
                                        + " team_b: {users: {alice: 1}}, below: {parent: team_a}}"));

        ClusterFile after =
                before.with("accounts", "team_a", YamlMap.tree("{shares: 51, users: {alice: 1}}"));

        assertThat(after.tree().path("accounts").fieldNames())
                .toIterable()
                .containsExactly("everybody", "team_a", "team_b", "below");
        assertThat(before.differences(after))
                .extracting(Difference::path)
                .containsExactly("accounts.team_a.description", "accounts.team_a.shares");
        assertThat(before.with("qos", "normal", YamlMap.tree("{priority: 5}")).isSame(before))
                .isFalse();
    }

    @Test
    void the_example_is_valid_and_holds_the_tree_of_the_worked_example() throws Exception {
        Configuration example =
                configuration(Files.readString(Path.of("../examples/accounts.yaml")));

        var cluster = example.cluster();
        assertThat(cluster.usageHalfLifeSeconds()).isEqualTo(14 * 86_400);
        assertThat(cluster.maxAgeSeconds()).isEqualTo(7 * 86_400);
        assertThat(cluster.weights()).isEqualTo(new Weights(1000, 10_000, 0, 0, 10_000));
        assertThat(cluster.prices())
                .isEqualTo(
                        new Prices(
                                1000,
                                250,
                                16_000,
                                Map.of("v100", 4000L, "a100", 16_000L, "h100", 24_000L)));
        assertThat(example.accounts().values())
                .extracting(Account::name, Account::shares)
                .containsExactly(
                        tuple("team_a", 50),
                        tuple("team_b", 30),
                        tuple("team_c", 20),
                        tuple("default", 1));
        assertThat(example.associations())
                .extracting(it -> it.account() + "/" + it.user() + "=" + it.shares())
                .containsExactly(
                        "root/root=1",
                        "team_a/alice=30",
                        "team_a/bob=20",
                        "team_b/carol=15",
                        "team_b/dave=15",
                        "team_c/eve=20");
        assertThat(example.accountOf("alice")).isEqualTo("team_a");
        assertThat(example.accountOf("stranger")).isEqualTo("default");
        Partition batch = example.defaultPartition().orElseThrow();
        assertThat(batch.name()).isEqualTo("batch");
        assertThat(batch.maxTimeSeconds()).isEqualTo(7 * 86_400);
        assertThat(batch.defaultTimeSeconds()).isEqualTo(3600);
        Partition interactive = Objects.requireNonNull(example.partitions().get("interactive"));
        assertThat(interactive.maxTimeSeconds()).isEqualTo(4 * 3600);
        assertThat(interactive.tier()).isGreaterThan(batch.tier());
    }

    @Test
    void what_is_left_out_has_slurms_defaults() throws Exception {
        Configuration least = configuration(LEAST);

        assertThat(least.cluster().usageHalfLifeSeconds()).isEqualTo(7 * 86_400);
        assertThat(least.cluster().weights()).isEqualTo(new Weights(0, 0, 0, 0, 0));
        assertThat(least.defaultPartition().orElseThrow().nodes()).containsExactly("ALL");
        assertThat(least.accounts().values())
                .extracting(Account::parent, Account::shares)
                .containsExactly(tuple(null, 1));
    }

    @Test
    void nodes_are_a_host_list() throws Exception {
        Configuration cluster =
                configuration(
                        LEAST.replace("default: true", "default: true, nodes: 'gpu-[08-10]'"));

        assertThat(cluster.defaultPartition().orElseThrow().nodes())
                .containsExactly("gpu-08", "gpu-09", "gpu-10");
    }

    @Test
    void the_default_account_of_a_user_is_the_first_one_or_the_one_marked() throws Exception {
        Configuration cluster =
                configuration(
                        LEAST.replace(
                                "accounts: {everybody: {}}",
                                """
                                accounts:
                                  everybody: {}
                                  a: {users: {ann: 1, ben: 1}}
                                  b: {parent: a, shares: parent, users: {ann: parent, ben: {shares: 5, default: true}}}\
                                """));

        assertThat(cluster.accountOf("ann")).isEqualTo("a");
        assertThat(cluster.accountOf("ben")).isEqualTo("b");
        assertThat(cluster.mayUse("ben", "a")).isTrue();
        assertThat(cluster.associations())
                .extracting(Association::shares)
                .containsExactly(1, 1, ConfigEntry.PARENT_SHARES, 5);
    }

    @Test
    void all_of_slurms_settings_have_their_place() throws Exception {
        Configuration all = configuration(ALL);

        assertThat(all.cluster().priorityRules())
                .isEqualTo(
                        new PriorityRules(
                                FairShareRule.CLASSIC,
                                5,
                                UsageReset.MONTHLY,
                                true,
                                300,
                                Map.of("gres/gpu", 2000L)));
        assertThat(all.cluster().preemptRules())
                .isEqualTo(
                        new PreemptRules(
                                PreemptRules.Type.PARTITION_PRIO,
                                PreemptMode.SUSPEND,
                                true,
                                PreemptMode.CANCEL,
                                300,
                                true,
                                8,
                                2,
                                120,
                                10,
                                900L));
        var limits =
                new Limits(
                        Map.of(Limit.MAX_JOBS, 4L, Limit.MAX_WALL, 1440L),
                        Map.of(
                                Limit.MAX_TRES_PER_USER, Map.of("gres/gpu", 8L, "mem", 524_288L),
                                Limit.GRP_TRES, Map.of("gres/gpu:a100", 16L)));
        assertThat(all.qos().get("high"))
                .extracting(Qos::ownRules)
                .isEqualTo(
                        new QosRules(
                                "urgent",
                                List.of(QosRules.Flag.DENY_ON_LIMIT, QosRules.Flag.OVER_PART_QOS),
                                2500,
                                60,
                                List.of("normal"),
                                PreemptMode.REQUEUE,
                                limits,
                                600L));
        assertThat(all.associations().getFirst().ownTerms())
                .isEqualTo(
                        new Terms(
                                "high",
                                List.of("high", "normal"),
                                7,
                                new Limits(Map.of(Limit.MAX_SUBMIT_JOBS, 100L), Map.of()),
                                Map.of(
                                        "batch",
                                        new Limits(Map.of(Limit.MAX_WALL, 60L), Map.of()))));
        assertThat(all.defaultPartition().orElseThrow().partitionRules())
                .isEqualTo(
                        new PartitionRules(
                                PartitionRules.State.DRAIN,
                                1,
                                64,
                                8192,
                                List.of("everybody"),
                                List.of(),
                                List.of(),
                                List.of("high"),
                                "high",
                                PreemptMode.CANCEL,
                                30,
                                true,
                                new Prices(2000, 0, 0, Map.of()),
                                null,
                                new PartitionRules.Use(
                                        4096,
                                        65_536,
                                        600,
                                        true,
                                        List.of("login-1"),
                                        true,
                                        true,
                                        List.of("lab", "chemistry"),
                                        true,
                                        new GpuDefaults(4, 16_384),
                                        true,
                                        24,
                                        null,
                                        true)));
        assertThat(all.reservations().get("service"))
                .extracting(it -> it.endsAt() - it.startsAt(), it -> it.users())
                .containsExactly(7_200_000L, List.of("root"));
        assertThat(Objects.requireNonNull(all.switches().get("core")).switches())
                .containsExactly("rack1", "rack2");
        assertThat(new Levels(all.switches().values()).names()).containsExactly("rack", "1");
    }

    private static final String ALL =
            """
            name: c
            defaultAccount: everybody
            defaultQos: normal
            fairShare: {rule: classic, dampening: 5, usageReset: monthly}
            preemption: {type: preempt/partition_prio, mode: "SUSPEND,GANG", gpuMode: cancel, exemptTime: 5, youngestFirst: true,
              maxVictims: 8, minGap: 2, requeueDelay: 120, timeSlice: 10, deadline: 900}
            priority: {sizeByTime: true, weights: {association: 300, tres: {gres/gpu: 2000}}}
            partitions:
              batch: {default: true, state: drain, maxCpusPerNode: 64, maxCpusPerSocket: 24, maxMemoryPerCpu: 8192, allowAccounts: everybody,
                denyQos: [high], qos: high, preemptMode: cancel, graceTime: 30, hidden: true, prices: {cpu: 2},
                defaultMemoryPerNode: 4096, maxMemoryPerNode: 65536, overTimeLimit: 10:00, leastLoaded: true,
                allocNodes: login-1, rootOnly: true, exclusiveUser: true, exclusive: true, exclusiveTopo: true,
                allowGroups: "lab,chemistry", defaultCpusPerGpu: 4, defaultMemoryPerGpu: 16384, disableRootJobs: true}
            qos:
              normal: {}
              high:
                description: urgent
                flags: [DenyOnLimit, OverPartQos]
                usageFactor: 2.5
                graceTime: 60
                preempt: normal
                preemptMode: REQUEUE
                preemptExemptTime: 10
                limits: {MaxJobsPU: 4, MaxWall: 1-0, MaxTRESPerUser: "gres/gpu=8,mem=512G", GrpTRES: {gres/gpu:a100: 16}}
            accounts:
              everybody:
                description: All
                coordinators: [ann]
                users:
                  ann: {shares: 3, defaultQos: high, qos: "high,normal", priority: 7, limits: {MaxSubmitJobs: 100},
                    partitions: {batch: {MaxWall: 60}}}
            reservations:
              service: {start: "2026-12-24T18:00:00", duration: "2:00:00", nodes: "gpu-[01-02]", users: root, flags: MAINT}
            switches:
              rack1: {nodes: "gpu-[01-04]", level: rack}
              rack2: {nodes: "gpu-[05-08]", level: rack}
              core: {switches: [rack1, rack2]}
            """;

    @Test
    void a_file_that_was_made_of_slurms_configuration_is_taken() throws Exception {
        Path imported = Path.of("../cli/src/test/resources/imported-cluster.yaml");

        assertThat(configuration(Files.readString(imported)).accounts())
                .containsOnlyKeys("team_a", "team_b", "sub", "default");
    }

    @ParameterizedTest
    @ValueSource(strings = {"golden.yaml", "newer.yaml"})
    void whatever_is_made_of_slurms_configuration_can_be_applied(String name) throws Exception {
        Path imported = Path.of("../cli/src/test/resources/imported").resolve(name);

        assertThat(configuration(Files.readString(imported)).partitions()).isNotEmpty();
    }

    @Test
    void gpus_may_be_given_out_in_parts() throws Exception {
        String yaml =
                LEAST
                        + """
                        sharedGpus:
                          some: {nodes: 'gpu-[01-02]', gpus: 6-7}
                          others: {nodes: gpu-03, sharing: shard, parts: 4}
                        """;

        assertThat(configuration(yaml).cluster().sharedGpus())
                .containsExactly(
                        new SharedGpus(
                                List.of("gpu-01", "gpu-02"),
                                IndexSet.parse("6-7"),
                                GpuSharing.MPS,
                                1000),
                        new SharedGpus(List.of("gpu-03"), null, GpuSharing.SHARD, 4));
    }

    @Test
    void nodes_have_other_resources_and_lie_in_blocks() throws Exception {
        String yaml =
                LEAST
                        + """
                        gres: {fast: {nodes: 'gpu-[01-02]', has: 'nic:2,fpga:xilinx'}}
                        blocks: {rack1: 'gpu-[01-02]', rack2: gpu-03}
                        blockSizes: [2, 4]
                        """;

        var cluster = configuration(yaml).cluster();
        assertThat(cluster.gres())
                .containsExactly(
                        new DeclaredGres(
                                List.of("gpu-01", "gpu-02"),
                                List.of(new Gres("fpga", "xilinx", 1), new Gres("nic", null, 2))));
        assertThat(cluster.blocks())
                .isEqualTo(
                        new Blocks(
                                List.of(
                                        new Block(
                                                "rack1",
                                                List.of(
                                                        new NodeName("gpu-01"),
                                                        new NodeName("gpu-02"))),
                                        new Block("rack2", List.of(new NodeName("gpu-03")))),
                                List.of(2, 4)));
    }

    @Test
    void nodes_have_weights_and_waits_for_switches_a_bound() throws Exception {
        String yaml = LEAST + "maxSwitchWait: 1:30\nnodeWeights: {'gpu-[01-02]': 10, ALL: 5}\n";

        var cluster = configuration(yaml).cluster();

        assertThat(List.of("gpu-02", "gpu-03"))
                .extracting(it -> cluster.weightOf(new NodeName(it)))
                .containsExactly(10, 5);
        assertThat(cluster.switchWaitSeconds()).isEqualTo(90);
    }

    @Test
    void cpus_are_given_out_one_by_one_unless_the_file_says_otherwise() throws Exception {
        assertThat(configuration(LEAST).cluster().byCore()).isFalse();
        assertThat(configuration(LEAST + "wholeCores: false\n").cluster().byCore()).isFalse();
        assertThat(configuration(LEAST + "wholeCores: true\n").cluster().byCore()).isTrue();
    }

    @Test
    void nodes_are_taken_by_the_policy_that_the_file_names() throws Exception {
        assertThat(configuration(LEAST).cluster().packing()).isNull();
        assertThat(configuration(LEAST + "packing: fgd\n").cluster().packing()).isEqualTo("fgd");
        assertThatExceptionOfType(InvalidClusterFile.class)
                .isThrownBy(() -> configuration(LEAST + "packing: worst-fit\n"))
                .withMessageContaining("packing")
                .withMessageContaining(
                        "'worst-fit' is none of default, fgd, tightest, best-fit, gpu-packing");
    }

    @Test
    void ten_thousand_ended_jobs_are_known_for_a_day_and_all_for_five_minutes_unless_it_says_else()
            throws Exception {
        assertThat(endedJobs("")).isEqualTo(new EndedJobs(10_000, 300, 86_400));
        assertThat(endedJobs("count: 50, minAge: 2, maxAge: \"8:00:00\""))
                .isEqualTo(new EndedJobs(50, 120, 28_800));
        assertThat(endedJobs("minAge: 2-0")).isEqualTo(new EndedJobs(10_000, 172_800, 172_800));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "minAge: \"0:59\"|endedJobs.minAge|must be a minute at least",
                "minAge: UNLIMITED|endedJobs.minAge|must be a minute at least",
                "maxAge: 4|endedJobs.maxAge|must not be below minAge",
                "maxAge: UNLIMITED|endedJobs.maxAge|must not be below minAge",
                "count: -1|endedJobs.count|-1",
                "age: 5|endedJobs|age"
            })
    void ended_jobs_are_known_for_a_while_that_ends(String said, String place, String why) {
        assertThatExceptionOfType(InvalidClusterFile.class)
                .isThrownBy(() -> endedJobs(said))
                .withMessageContaining(place)
                .withMessageContaining(why);
    }

    private static EndedJobs endedJobs(String said) throws InvalidClusterFile {
        return configuration(LEAST + "endedJobs: {" + said + "}\n").cluster().endedJobs();
    }

    @Test
    void what_is_private_is_a_list_of_slurms_words() throws Exception {
        assertThat(configuration(LEAST).cluster().privateData()).isEmpty();
        assertThat(configuration(LEAST + "privateData: usage,jobs\n").cluster().privateData())
                .containsExactly(PrivateData.JOBS, PrivateData.USAGE);
    }

    @Test
    void gpus_in_mig_mode_may_be_divided_anew() throws Exception {
        String yaml =
                LEAST
                        + """
                        migGpus:
                          some: {nodes: 'gpu-[01-02]', gpus: 4-7}
                          others: {nodes: gpu-03, profiles: '1g.10gb,3g.40gb', costSeconds: 30, holdSeconds: 0}
                        """;

        assertThat(configuration(yaml).cluster().migGpus())
                .containsExactly(
                        new MigGpus(
                                List.of("gpu-01", "gpu-02"), IndexSet.parse("4-7"), null, 15, 300),
                        new MigGpus(List.of("gpu-03"), null, List.of("1g.10gb", "3g.40gb"), 30, 0));
    }

    @Test
    void every_record_knows_its_place_in_the_revision() throws Exception {
        List<ConfigEntry> entries = ClusterFile.parse(LEAST).entries(7);

        assertThat(entries)
                .extracting(
                        it -> it.part().revision(), it -> it.part().number(), it -> it.part().of())
                .containsExactly(
                        tuple(7L, 1, 4), tuple(7L, 2, 4), tuple(7L, 3, 4), tuple(7L, 4, 4));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name: c                       | nam: c                        | nam: unknown key",
                "name: c                       | name: 'a b'                   | name: 'a b' is not a name",
                "name: c                       | ''                            | name: a name is required here",
                "name: c                       | name: [c                      | line",
                "name: c                       | name: c\\nname: d              | Duplicate field 'name'",
                "defaultAccount: everybody     | defaultAccount: nobody        | defaultAccount: there is no account 'nobody'",
                "defaultQos: normal            | defaultQos: gold              | defaultQos: there is no QOS 'gold'",
                "defaultQos: normal            | defaultQos: normal\\nfairShare: {halfLife: 1h} | fairShare.halfLife: '1h' is not a time",
                "defaultQos: normal            | defaultQos: normal\\npriority: {maxAge: 0}     | priority.maxAge: must be above 0",
                "defaultQos: normal            | defaultQos: normal\\npriority: {favorSmall: 3} | priority.favorSmall: '3' is not true or false",
                "defaultQos: normal            | defaultQos: normal\\npriority: {weights: {age: -1}} | priority.weights.age: '-1' is not a whole number",
                "defaultQos: normal            | defaultQos: normal\\nprices: {cpu: 0.0001}     | prices.cpu: '0.0001' is not a number from 0 with at most three decimals",
                "defaultQos: normal            | defaultQos: normal\\nprices: {gpuTypes: {a100: cheap}} | prices.gpuTypes.a100: 'cheap' is not a number",
                "{batch: {default: true}}      | {}                            | partitions: at least one partition is required",
                "{batch: {default: true}}      | [batch]                       | partitions: a map of keys and values is expected here",
                "{batch: {default: true}}      | {a: {default: true}, b: {default: true}} | partitions.b.default: partition a is the default already",
                "{batch: {default: true}}      | {a: {maxTime: 10, defaultTime: 20}} | partitions.a.defaultTime: is above maxTime",
                "{batch: {default: true}}      | {a: {overSubscribe: 'FORCE:0'}} | partitions.a.overSubscribe: 'FORCE:0' is not NO, YES:n or FORCE:n, with n from 1 to 9999",
                "{batch: {default: true}}      | {a: {overSubscribe: EXCLUSIVE}} | partitions.a.overSubscribe: 'EXCLUSIVE' is not NO, YES:n or FORCE:n",
                "{batch: {default: true}}      | {a: {overSubscribe: FORCE, exclusive: true}} | partitions.a.overSubscribe: excludes exclusive",
                "{batch: {default: true}}      | {a: {overSubscribe: YES, maxCpusPerSocket: 4}} | partitions.a.overSubscribe: excludes maxCpusPerSocket",
                "{batch: {default: true}}      | {a: {nodes: 'gpu-[01-'}}      | partitions.a.nodes: 'gpu-[01-' is neither ALL nor a list",
                "{normal: {}}                  | {normal: {prio: 1}}           | qos.normal.prio: unknown key; known are priority",
                "{normal: {}}                  | {normal: {limits: {MaxFun: 1}}} | qos.normal.limits.MaxFun: is no limit",
                "{normal: {}}                  | {normal: {limits: {MaxTRES: 'gpu=1'}}} | qos.normal.limits.MaxTRES: 'gpu=1' is no amount of a resource",
                "{normal: {}}                  | {normal: {flags: [Fast]}}     | qos.normal.flags: 'Fast' is none of DenyOnLimit",
                "{normal: {}}                  | {normal: {preempt: low}}      | qos.normal.preempt: there is no QOS 'low'",
                "{normal: {}}                  | {normal: {preempt: normal}}   | qos.normal.preempt: would let jobs preempt one another for ever: normal > normal",
                "{normal: {}}                  | {normal: {preempt: a}, a: {preempt: b}, b: {preempt: normal}} | qos.normal.preempt: would let jobs preempt one another for ever: normal > a > b > normal",
                "{normal: {}}                  | {normal: {preemptMode: PRIORITY}} | qos.normal.preemptMode: 'PRIORITY' is none of OFF, CANCEL, REQUEUE, SUSPEND",
                "{normal: {}}                  | {normal: {preemptMode: 'SUSPEND,GANG'}} | qos.normal.preemptMode: 'SUSPEND,GANG' is none of OFF",
                "defaultQos: normal            | defaultQos: normal\\npreemption: {type: qos}       | preemption.mode: is required with a type or reclaim: OFF, CANCEL",
                "defaultQos: normal            | defaultQos: normal\\npreemption: {type: age}       | preemption.type: 'age' is none of None, PartitionPrio, Qos",
                "defaultQos: normal            | defaultQos: normal\\npreemption: {mode: GANG}      | preemption.mode: GANG is for suspended jobs: write SUSPEND,GANG",
                "defaultQos: normal            | defaultQos: normal\\npreemption: {gpuMode: suspend} | preemption.gpuMode: a suspended job keeps its GPUs",
                "defaultQos: normal            | defaultQos: normal\\npreemption: {timeSlice: 1}    | preemption.timeSlice: is below 5 seconds",
                "{everybody: {}}               | {everybody: {limits: {MaxTRESPU: 'cpu=1'}}} | accounts.everybody.limits.MaxTRESPU: is a limit that only a QOS may have",
                "{everybody: {}}               | {everybody: {partitions: {batch: {MaxJobs: 1}}}} | accounts.everybody.partitions.batch.MaxJobs: is not enforced for a partition yet",
                "{everybody: {}}               | {everybody: {qos: gold}}      | accounts.everybody.qos: there is no QOS 'gold'",
                "{everybody: {}}               | {everybody: {shares: 99999999999}} | accounts.everybody.shares: shares '99999999999' are neither",
                "defaultQos: normal            | defaultQos: normal\\nswitches: {a: {switches: b}, b: {switches: a}} | switches.a: the switch is below itself",
                "defaultQos: normal            | defaultQos: normal\\nswitches: {a: {nodes: n1}, b: {nodes: n1}} | switches.b.nodes: node n1 is below a already",
                "defaultQos: normal            | defaultQos: normal\\nswitches: {a: {nodes: n1, level: block}} | switches.a.level: 'block' is no name for it: blocks have 'block', and numbers are those of heights",
                "defaultQos: normal            | defaultQos: normal\\nswitches: {a: {nodes: n1, level: 0}} | switches.a.level: '0' is no name for it",
                "defaultQos: normal            | defaultQos: normal\\nswitches: {a: {nodes: n1, level: rack}, b: {switches: a}, c: {switches: b, level: rack}} | switches.a.level: the rack is below c, which is one too",
                "defaultQos: normal            | defaultQos: normal\\nsharedGpus: {a: {nodes: n1, sharing: time}} | sharedGpus.a.sharing: 'time' is none of Mps, Shard",
                "defaultQos: normal            | defaultQos: normal\\nsharedGpus: {a: {nodes: n1, gpus: x}} | sharedGpus.a.gpus: 'x' is not a list such as 0-3,8",
                "defaultQos: normal            | defaultQos: normal\\nsharedGpus: {a: {nodes: n1, sharing: shard}} | sharedGpus.a.parts: must be 2 to 16",
                "defaultQos: normal            | defaultQos: normal\\nsharedGpus: {a: {nodes: n1, sharing: shard, parts: 17}} | sharedGpus.a.parts: must be 2 to 16",
                "defaultQos: normal            | defaultQos: normal\\nsharedGpus: {a: {nodes: n1, parts: 4}} | sharedGpus.a.parts: is given only with sharing: shard",
                "defaultQos: normal            | defaultQos: normal\\nsharedGpus: {a: {nodes: n1}, b: {nodes: 'n[1-2]'}} | sharedGpus.b.nodes: node n1 stands in two rules",
                "defaultQos: normal            | defaultQos: normal\\nsharedGpus: {a: {nodes: n1}, b: {}} | sharedGpus.b.nodes: node ALL stands in two rules",
                "defaultQos: normal            | defaultQos: normal\\nnodeWeights: {n1: 5, 'n[1-2]': 6} | nodeWeights.n[1-2]: node n1 has a weight already",
                "defaultQos: normal            | defaultQos: normal\\nreservations: {r: {start: '+999999999-12-24T18:00:00', duration: 60, users: u}} | reservations.r.start: '+999999999-12-24T18:00:00' is not a time of UTC",
                "defaultQos: normal            | defaultQos: normal\\nreservations: {r: {start: '2026-12-24T18:00:00', duration: 60, users: u, flags: 'DAILY,WEEKEND'}} | reservations.r.flags: at most one of DAILY, WEEKLY, WEEKDAY, WEEKEND",
                "defaultQos: normal            | defaultQos: normal\\nreservations: {r: {start: '2026-12-24T18:00:00', duration: 60, users: u, flags: REPLACE}} | reservations.r.flags: of all nodes none can be replaced",
                "defaultQos: normal            | defaultQos: normal\\nreservations: {r: {start: '2026-12-24T18:00:00', duration: 60, users: u, purgeAfter: 5}} | reservations.r.purgeAfter: needs the flag PURGE_COMP",
                "defaultQos: normal            | defaultQos: normal\\nnodeWeights: {n1: -5} | nodeWeights.n1: '-5' is not a whole number",
                "defaultQos: normal            | defaultQos: normal\\nmaxSwitchWait: 0 | maxSwitchWait: must be above 0",
                "defaultQos: normal            | defaultQos: normal\\ngres: {a: {has: 'gpu:2'}} | gres.a.has: 'gpu:2' is no list such as nic:2",
                "defaultQos: normal            | defaultQos: normal\\ngres: {a: {nodes: n1, has: nic}, b: {nodes: n1, has: nic}} | gres.b.nodes: node n1 stands in two rules",
                "defaultQos: normal            | defaultQos: normal\\nblocks: {a: n1, b: 'n[1-2]'} | blocks.b: node n1 is in one block alone",
                "defaultQos: normal            | defaultQos: normal\\nblocks: {a: n1}\\nblockSizes: [4, 6] | blockSizes: '6' is no size of blocks",
                "defaultQos: normal            | defaultQos: normal\\nblockSizes: [4] | blockSizes: there are no blocks",
                "defaultQos: normal            | defaultQos: normal\\nmigGpus: {a: {nodes: n1}, b: {}} | migGpus.b.nodes: node ALL stands in two rules on GPUs in MIG mode",
                "defaultQos: normal            | defaultQos: normal\\nmigGpus: {a: {profiles: half}} | migGpus.a.profiles: 'half' is no profile such as 1g.10gb",
                "defaultQos: normal            | defaultQos: normal\\nprivateData: [jobs, cloud] | privateData: 'cloud' is none of Accounts, Jobs, Nodes, Partitions, Reservations, Usage, Users",
                "defaultQos: normal            | defaultQos: normal\\nmigGpus: {a: {gpus: x}} | migGpus.a.gpus: 'x' is not a list such as 0-3,8",
                "defaultQos: normal            | defaultQos: normal\\npriority: {weights: {tres: {gres/mps: 1}}} | priority.weights.tres.gres/mps: is no resource",
                "{everybody: {}}               | {everybody: {limits: {GrpTRESMins: 'gres/mps=1'}}} | accounts.everybody.limits.GrpTRESMins: gres/mps is not summed up alone",
                "{everybody: {}}               | {everybody: {shares: -3}}     | accounts.everybody.shares: shares '-3' are neither",
                "{everybody: {}}               | {everybody: {parent: lost}}   | accounts.everybody.parent: there is no account 'lost'",
                "{everybody: {}}               | {everybody: {parent: b}, b: {parent: everybody}} | accounts.everybody.parent: the account is below itself",
                "{everybody: {}}               | {everybody: {users: {ann: many}}} | accounts.everybody.users.ann.shares: shares 'many' are neither",
                "{everybody: {}}               | {everybody: {users: {'a/b': 1}}} | accounts.everybody.users.a/b: 'a/b' is not a name",
                "{everybody: {}}               | {everybody: {}, root: {shares: 1}} | accounts.root.shares: unknown key; known are users",
                "{everybody: {}}               | {everybody: {users: {u: {default: true}}}, b: {users: {u: {default: true}}}} | accounts.b.users.u: the default of u is everybody already",
            })
    void a_mistake_is_told_in_one_line_that_names_the_place(
            String right, String wrong, String complaint) {
        String yaml = LEAST.replace(right, wrong.replace("\\n", "\n"));
        assertThat(yaml).isNotEqualTo(LEAST);

        assertThatExceptionOfType(InvalidClusterFile.class)
                .isThrownBy(() -> ClusterFile.parse(yaml))
                .satisfies(e -> {
                    assertThat(e).hasMessageContaining(complaint);
                    assertThat(e.toString().lines()).hasSize(1);
                });
    }

    @Test
    void accounts_are_guaranteed_what_they_may_have_and_their_parents_have() throws Exception {
        Configuration cluster =
                configuration(
                        LEAST.replace(
                                "accounts: {everybody: {}}",
                                """
                                preemption: {mode: REQUEUE, reclaim: true}
                                accounts:
                                  everybody: {}
                                  physics: {guarantee: "gres/gpu=16,cpu=128", limits: {GrpTRES: gres/gpu=24}}
                                  dark: {parent: physics, guarantee: {gres/gpu: 12, cpu: 0}}
                                  light: {parent: physics, limits: {GrpTRES: gres/gpu=4}}
                                  solar: {parent: light, guarantee: {gres/gpu: 4}}\
                                """));

        assertThat(cluster.cluster().preemptRules().reclaims()).isTrue();
        assertThat(cluster.accounts().values())
                .extracting(it -> it.ownTerms().guarantee())
                .containsExactly(
                        Map.of(),
                        Map.of("gres/gpu", 16L, "cpu", 128L),
                        Map.of("gres/gpu", 12L),
                        Map.of(),
                        Map.of("gres/gpu", 4L));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a: {guarantee: gres/gpu=9, limits: {GrpTRES: gres/gpu=8}} | accounts.a.guarantee: gres/gpu=9 is more than the GrpTRES of account 'a', gres/gpu=8",
                "a: {limits: {GrpTRES: cpu=8}}\\n  b: {parent: a, guarantee: cpu=9} | accounts.b.guarantee: cpu=9 is more than the GrpTRES of account 'a', cpu=8",
                "a: {guarantee: cpu=8}\\n  b: {parent: a, guarantee: cpu=5}\\n  c: {parent: a}\\n  d: {parent: c, guarantee: cpu=4} | accounts.a.guarantee: cpu=8 is less than the accounts below it are guaranteed together, cpu=9",
                "a: {guarantee: cpu=8}\\n  b: {parent: a, guarantee: mem=1G} | accounts.a.guarantee: mem=0M is less than the accounts below it are guaranteed together, mem=1G",
                "a: {guarantee: gres/gpu=-2} | accounts.a.guarantee: '-2' is no amount of gres/gpu",
                "a: {guarantee: gpus=2} | accounts.a.guarantee: 'gpus=2' is no amount of a resource",
                "a: {users: {ann: {guarantee: cpu=1}}} | accounts.a.users.ann.guarantee: unknown key"
            })
    void a_guarantee_that_cannot_be_is_refused(String accounts, String why) {
        String yaml =
                LEAST.replace(
                        "accounts: {everybody: {}}",
                        "accounts:\n  everybody: {}\n  " + accounts.replace("\\n", "\n"));

        assertThatExceptionOfType(InvalidClusterFile.class)
                .isThrownBy(() -> ClusterFile.parse(yaml))
                .withMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{reclaim: true} | preemption.mode: is required with a type or reclaim",
                "{reclaim: true, type: qos, mode: 'SUSPEND,GANG'} | preemption.reclaim: what a job has back it would give again in turns"
            })
    void those_who_have_back_what_is_theirs_take_no_turns(String preemption, String why) {
        assertThatExceptionOfType(InvalidClusterFile.class)
                .isThrownBy(() -> ClusterFile.parse(LEAST + "preemption: " + preemption + "\n"))
                .withMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource({"''", "'# nothing'", "'- a list'", "'text'"})
    void a_file_that_is_no_map_is_refused(String yaml) {
        assertThatExceptionOfType(InvalidClusterFile.class)
                .isThrownBy(() -> ClusterFile.parse(yaml))
                .withMessageContaining("a map of keys and values is expected");
    }

    @ParameterizedTest
    @CsvSource({
        "NO,",
        "false,",
        "YES,     YES:4",
        "force,   FORCE:4",
        "FORCE:1, FORCE:1",
        "yes:2,   YES:2"
    })
    void jobs_of_a_partition_may_have_their_cpus_together(String said, @Nullable String taken)
            throws Exception {
        String yaml = ALL.replace("exclusive: true", "overSubscribe: " + said);

        OverSubscribe rule =
                configuration(yaml.replace("maxCpusPerSocket: 24,", ""))
                        .defaultPartition()
                        .orElseThrow()
                        .partitionRules()
                        .ofNodes()
                        .overSubscribe();

        assertThat(rule == null ? null : rule.text()).isEqualTo(taken);
    }

    private static Configuration configuration(String yaml) throws InvalidClusterFile {
        var assembler = new ConfigurationAssembler();
        Optional<Configuration> whole = Optional.empty();
        for (ConfigEntry entry : ClusterFile.parse(yaml).entries(1)) {
            whole = assembler.add(entry);
        }
        return whole.orElseThrow();
    }
}
