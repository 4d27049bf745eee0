package io.berth.core.limits;

import static io.berth.core.testing.TestCluster.PART;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Charge;
import io.berth.contracts.Limit;
import io.berth.contracts.Limits;
import io.berth.contracts.Reason;
import io.berth.contracts.Spending;
import io.berth.contracts.Tres;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.FairShares.Budget;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.QosRules;
import io.berth.contracts.event.QosRules.Flag;
import io.berth.contracts.event.Terms;
import io.berth.core.testing.TestCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitPolicyTest {

    private static final long HOUR = 3600;

    private Limits qos = Limits.NONE;
    private Limits partitionQos = Limits.NONE;
    private Limits user = Limits.NONE;
    private Limits userInBatch = Limits.NONE;
    private Limits account = Limits.NONE;
    private Limits above = Limits.NONE;
    private List<Flag> flags = List.of();

    /// Alice runs a job of 4 GPUs, 8 CPUs on a node for two hours more, and has one waiting; bob of
    /// the same account runs another of 2 GPUs, 8 CPUs. Alice asks for 3 GPUs, 6 CPUs for an hour.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "qos     | MaxJobs            | 1               | QOSMaxJobsPerUserLimit",
                "qos     | MaxJobs            | 2               | -",
                "qos     | GrpJobs            | 2               | QOSGrpJobsLimit",
                "qos     | MaxJobsPerAccount  | 2               | MaxJobsPerAccount",
                "qos     | MaxWall            | 59              | QOSMaxWallDurationPerJobLimit",
                "qos     | MaxWall            | 60              | -",
                "qos     | MaxTRESPerUser     | gres/gpu=6      | QOSMaxGRESPerUser",
                "qos     | MaxTRESPerUser     | gres/gpu=7      | -",
                "qos     | MaxTRESPerUser     | cpu=13          | QOSMaxCpuPerUserLimit",
                "qos     | MaxTRESPerUser     | node=1          | QOSMaxNodePerUserLimit",
                "qos     | MaxTRESPerAccount  | gres/gpu=8      | MaxGRESPerAccount",
                "qos     | MaxTRES            | gres/gpu=2      | QOSMaxGRESPerJob",
                "qos     | MaxTRES            | gres/gpu=3      | -",
                "qos     | MaxTRES            | mem=1G          | QOSMaxMemoryPerJob",
                "qos     | MaxTRESPerNode     | cpu=5           | QOSMaxCpuPerNode",
                "qos     | MaxTRESPerNode     | cpu=6           | -",
                "qos     | MaxTRESMins        | gres/gpu=179    | QOSMaxGRESMinutesPerJob",
                "qos     | MaxTRESMins        | gres/gpu=180    | -",
                "qos     | MinTRES            | gres/gpu=4      | QOSMinGRES",
                "qos     | MinTRES            | gres/gpu=3      | -",
                "qos     | GrpTRES            | gres/gpu:a100=8 | QOSGrpGRES",
                "qos     | GrpTRES            | gres/gpu:h100=0 | -",
                "qos     | GrpTRES            | billing=20      | QOSGrpBilling",
                "qos     | GrpTRESRunMins     | gres/gpu=899    | QOSGrpGRESRunMinutes",
                "qos     | GrpTRESRunMins     | gres/gpu=900    | -",
                "qos     | GrpTRESMins        | gres/gpu=1259   | QOSGrpGRESMinutes",
                "qos     | GrpTRESMins        | gres/gpu=1260   | -",
                "qos     | GrpTRESMins        | node=420        | -",
                "qos     | GrpTRESMins        | node=419        | QOSGrpNodeMinutes",
                "qos     | GrpWall            | 419             | QOSGrpWallLimit",
                "qos     | GrpWall            | 420             | -",
                "partitionQos | GrpTRES       | cpu=21          | QOSGrpCpuLimit",
                "user    | MaxJobs            | 1               | AssocMaxJobsLimit",
                "user    | GrpTRES            | gres/gpu=6      | AssocGrpGRES",
                "user    | GrpTRES            | gres/gpu=7      | -",
                "user    | MaxTRES            | node=0          | AssocMaxNodePerJobLimit",
                "userInBatch | MaxWall        | 30              | AssocMaxWallDurationPerJobLimit",
                "account | GrpTRES            | gres/gpu=8      | AssocGrpGRES",
                "account | GrpTRES            | gres/gpu=9      | -",
                "account | GrpTRES            | mem=1G          | AssocGrpMemLimit",
                "account | MaxJobs            | 1               | AssocMaxJobsLimit",
                "account | MaxTRES            | gres/gpu=2      | AssocMaxGRESPerJob",
                "above   | GrpJobs            | 2               | AssocGrpJobsLimit",
                "above   | MaxWall            | 30              | AssocMaxWallDurationPerJobLimit",
            })
    void a_job_over_a_limit_waits_with_slurms_reason(
            String place, String limit, String value, @Nullable String reason) {
        set(place, limits(limit, value));
        LimitPolicy policy = policy();

        Optional<Reason> met = policy.start(asked(), running(policy), 0);

        assertThat(met.map(Reason::slurmName).orElse(null)).isEqualTo(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GrpTRES", "MaxTRESPerUser", "GrpTRESRunMins", "GrpTRESMins"})
    void a_job_that_uses_none_of_it_waits_for_nobody_who_uses_too_much(String limit) {
        qos = limits(limit, "gres/gpu=1");
        LimitPolicy policy = policy();
        Counters counters = running(policy);

        assertThat(policy.start(job("alice", 0, 6, HOUR), counters, 0)).isEmpty();
        assertThat(policy.start(job("alice", 1, 6, HOUR), counters, 0)).isPresent();
    }

    /// Five PiB until some second of 2026 are more than a number holds.
    @Test
    void minutes_of_a_whole_fleets_memory_are_summed_up() {
        long now = 1_795_000_000L;
        long fleet = 6_000_000_000L;
        qos = limits("GrpTRESRunMins", "mem=" + fleet * 90);
        LimitPolicy policy = policy();
        var counters = new Counters(policy);
        var all =
                new JobUse(
                        "alice",
                        "team_a",
                        "batch",
                        "normal",
                        Map.of(Tres.MEMORY, fleet),
                        Map.of(),
                        HOUR);

        counters.running(all, now + HOUR, 1);

        assertThat(policy.start(asked(), counters, now)).isEmpty();
        counters.running(all, now + HOUR, 1);
        assertThat(policy.start(asked(), counters, now))
                .contains(Reason.QOS_GRP_MEMORY_RUN_MINUTES);
        assertThat(policy.start(asked(), counters, now + HOUR / 2)).isEmpty();
    }

    @Test
    void a_limit_of_the_qos_stands_in_the_place_of_the_associations() {
        qos = limits("MaxJobs", "9");
        user = limits("MaxJobs", "1");
        LimitPolicy policy = policy();

        assertThat(policy.start(asked(), running(policy), 0)).isEmpty();
    }

    @Test
    void only_for_the_resource_that_it_limits() {
        qos = limits("GrpTRES", "gres/gpu=100");
        account = limits("GrpTRES", "gres/gpu=1,cpu=20");
        LimitPolicy policy = policy();

        assertThat(policy.start(asked(), running(policy), 0)).contains(Reason.ASSOC_GRP_CPU_LIMIT);
    }

    @Test
    void the_partitions_qos_is_read_before_the_jobs_own() {
        partitionQos = limits("MaxTRES", "gres/gpu=8");
        qos = limits("MaxTRES", "gres/gpu=1");
        LimitPolicy policy = policy();

        assertThat(policy.start(asked(), running(policy), 0)).isEmpty();
    }

    @Test
    void and_after_it_with_its_flag() {
        partitionQos = limits("MaxTRES", "gres/gpu=8");
        qos = limits("MaxTRES", "gres/gpu=1");
        flags = List.of(Flag.OVER_PART_QOS);
        LimitPolicy policy = policy();

        assertThat(policy.start(asked(), running(policy), 0)).contains(Reason.QOS_MAX_GRES_PER_JOB);
    }

    @Test
    void a_users_own_limit_stands_before_his_accounts() {
        user = limits("MaxJobs", "5");
        account = limits("MaxJobs", "1");
        LimitPolicy policy = policy();

        assertThat(policy.start(asked(), running(policy), 0)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "qos     | MaxSubmitJobs           | 2          | -    | QOSMaxSubmitJobPerUserLimit",
                "qos     | MaxSubmitJobs           | 3          | -    | -",
                "qos     | MaxSubmitJobsPerAccount | 3          | -    | MaxSubmitJobsPerAccount",
                "user    | MaxSubmitJobs           | 2          | -    | AssocMaxSubmitJobLimit",
                "above   | GrpSubmitJobs           | 3          | -    | AssocGrpSubmitJobsLimit",
                "qos     | MaxTRES                 | gres/gpu=1 | -    | -",
                "qos     | MaxTRES                 | gres/gpu=1 | deny | QOSMaxGRESPerJob",
                "user    | MaxWall                 | 1          | deny | AssocMaxWallDurationPerJobLimit",
                "qos     | GrpTRES                 | gres/gpu=2 | deny | QOSGrpGRES",
                "qos     | GrpTRES                 | gres/gpu=3 | deny | -",
                "qos     | MaxJobs                 | 0          | deny | -",
            })
    void a_submission_is_refused_where_slurm_refuses_it(
            String place,
            String limit,
            String value,
            @Nullable String deny,
            @Nullable String reason) {
        set(place, limits(limit, value));
        flags = deny == null ? List.of() : List.of(Flag.DENY_ON_LIMIT);
        LimitPolicy policy = policy();

        Optional<Reason> met = policy.submit(asked(), running(policy));

        assertThat(met.map(Reason::slurmName).orElse(null)).isEqualTo(reason);
    }

    /// 9 GPU-hours are spent by the books and 1 since then; running jobs may take 18, the job that
    /// asks 3.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "qos     | GrpTRESMins | gres/gpu=1860 | -",
                "qos     | GrpTRESMins | gres/gpu=1859 | QOSGrpGRESMinutes",
                "account | GrpTRESMins | gres/gpu=1859 | AssocGrpGRESMinutes",
                "account | GrpTRESMins | gres/gpu:a100=1859 | AssocGrpGRESMinutes",
                "account | GrpTRESMins | gres/gpu:a100=1860 | -",
                "account | GrpTRESMins | gres/gpu:h100=1    | -",
                "user    | GrpTRESMins | cpu=1         | AssocGrpCPUMinutesLimit",
                "qos     | GrpWall     | 540           | -",
                "qos     | GrpWall     | 539           | QOSGrpWallLimit",
            })
    void what_ended_runs_spent_counts_for_limits_of_sums(
            String place, String limit, String value, @Nullable String reason) {
        set(place, limits(limit, value));
        LimitPolicy policy = policy();
        Counters counters = running(policy);
        String holder = policy.budgets().iterator().next();
        counters.booked(List.of(new Budget(holder, gpuHours(9))));
        counters.ended(asked(), gpuHours(1));

        Optional<Reason> met = policy.start(asked(), counters, 0);

        assertThat(met.map(Reason::slurmName).orElse(null)).isEqualTo(reason);
    }

    /// 1 GPU-hour is spent, a half of a GPU runs for up to 2 hours, another asks for 3.
    @ParameterizedTest
    @CsvSource({"210, true", "209, false"})
    void a_budget_of_gpus_has_the_parts_of_them_in_it(long minutes, boolean starts) {
        account = limits("GrpTRESMins", "gres/gpu=" + minutes);
        LimitPolicy policy = policy();
        Counters counters = new Counters(policy);
        counters.booked(List.of(new Budget(policy.budgets().iterator().next(), gpuHours(1))));
        counters.running(half(2 * HOUR), 2 * HOUR, 1);

        assertThat(policy.start(half(3 * HOUR), counters, 0).isEmpty()).isEqualTo(starts);
    }

    private static JobUse half(long limitSeconds) {
        JobUse of = job("alice", 1, 1, limitSeconds);
        Map<String, Long> tres = Map.of(Tres.NODE, 1L, Tres.CPU, 1L, Tres.MPS, 50L);
        return new JobUse(
                of.user(), of.account(), of.partition(), of.qos(), tres, tres, limitSeconds);
    }

    private static Spending gpuHours(int hours) {
        long millis = hours * HOUR * 1000;
        return new Spending(new Charge(0, 0, millis, 0, 0, Map.of("a100", millis)), millis / 5);
    }

    @Test
    void without_any_limit_nothing_needs_counting() {
        assertThat(policy().none()).isTrue();
        user = limits("MaxJobs", "1");
        assertThat(policy().none()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void what_starts_under_a_limit_never_exceeds_it_and_leaves_nothing_behind(long seed) {
        qos = limits("MaxTRESPerUser", "gres/gpu=8");
        account = limits("GrpTRES", "gres/gpu=12");
        LimitPolicy policy = policy();
        var counters = new Counters(policy);
        var random = new Random(seed);
        var held = new ArrayList<JobUse>();
        for (int step = 0; step < 300; step++) {
            if (!held.isEmpty() && random.nextInt(3) == 0) {
                counters.running(held.remove(random.nextInt(held.size())), HOUR, -1);
            } else {
                String who = random.nextBoolean() ? "alice" : "bob";
                JobUse job = job(who, 1 + random.nextInt(5), 1, HOUR);
                if (policy.start(job, counters, 0).isEmpty()) {
                    counters.running(job, HOUR, 1);
                    held.add(job);
                }
            }
            assertThat(gpus(held, "alice")).isLessThanOrEqualTo(8);
            assertThat(gpus(held, "alice") + gpus(held, "bob")).isLessThanOrEqualTo(12);
        }
        held.forEach(it -> counters.running(it, HOUR, -1));

        assertThat(policy.start(job("alice", 8, 1, HOUR), counters, 0)).isEmpty();
    }

    private static long gpus(List<JobUse> jobs, String user) {
        return jobs.stream()
                .filter(it -> it.user().equals(user))
                .mapToLong(it -> it.tres().getOrDefault(Tres.GPU, 0L))
                .sum();
    }

    private void set(String place, Limits limits) {
        switch (place) {
            case "qos" -> qos = limits;
            case "partitionQos" -> partitionQos = limits;
            case "user" -> user = limits;
            case "userInBatch" -> userInBatch = limits;
            case "account" -> account = limits;
            case "above" -> above = limits;
            default -> throw new IllegalArgumentException(place);
        }
    }

    private static Limits limits(String name, String value) {
        Limit limit = Limit.of(name);
        return limit.unit() == Limit.Unit.TRES
                ? new Limits(Map.of(), Map.of(limit, Tres.parse(value)))
                : new Limits(Map.of(limit, Long.valueOf(value)), Map.of());
    }

    private static JobUse asked() {
        return job("alice", 3, 6, HOUR);
    }

    private static Counters running(LimitPolicy policy) {
        var counters = new Counters(policy);
        counters.running(job("alice", 4, 8, 3 * HOUR), 2 * HOUR, 1);
        counters.submitted(job("alice", 1, 1, HOUR), 1);
        counters.running(job("bob", 2, 8, 3 * HOUR), 2 * HOUR, 1);
        return counters;
    }

    private static JobUse job(String user, int gpus, int cpus, long limitSeconds) {
        Map<String, Long> tres =
                Map.of(
                        Tres.NODE,
                        1L,
                        Tres.CPU,
                        (long) cpus,
                        Tres.MEMORY,
                        2048L,
                        Tres.GPU,
                        (long) gpus,
                        Tres.gpu("a100"),
                        (long) gpus,
                        Tres.BILLING,
                        (long) cpus);
        return new JobUse(user, "team_a", "batch", "normal", tres, tres, limitSeconds);
    }

    private LimitPolicy policy() {
        return new LimitPolicy(
                TestCluster.configuration(
                        TestCluster.of("team_a", 0, new Prices(1000, 0, 0, Map.of())),
                        new Partition(
                                PART,
                                "batch",
                                true,
                                List.of("ALL"),
                                0,
                                0,
                                0,
                                1,
                                1,
                                0,
                                new PartitionRules(
                                        PartitionRules.State.UP,
                                        1,
                                        0,
                                        0,
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        "part",
                                        null,
                                        0,
                                        false,
                                        null)),
                        new Qos(PART, "normal", 0, rules(flags, qos)),
                        new Qos(PART, "part", 0, rules(List.of(), partitionQos)),
                        new Account(PART, "science", null, 1, terms(above, Map.of()), null),
                        new Account(PART, "team_a", "science", 1, terms(account, Map.of()), null),
                        new Association(
                                PART,
                                "team_a",
                                "alice",
                                1,
                                true,
                                terms(user, Map.of("batch", userInBatch)))));
    }

    private static QosRules rules(List<Flag> flags, Limits limits) {
        return new QosRules("", flags, 1000, 0, List.of(), null, limits);
    }

    private static Terms terms(Limits limits, Map<String, Limits> byPartition) {
        return new Terms(null, List.of(), 0, limits, byPartition);
    }
}
