package io.berth.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Recorded;
import io.berth.contracts.event.RoundEvent;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.SnapshotEvent;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.core.engine.Scheduling.Settings;
import io.berth.core.lifecycle.Engine;
import io.berth.core.placement.Placement;
import io.berth.core.placement.Placement.Pass;
import io.berth.core.replay.DecisionDigest;
import io.berth.core.replay.Recordings;
import io.berth.core.replay.Replay;
import io.berth.core.state.CellState;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import io.berth.simulator.replay.RecordedCell;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A cell of one node with two GPUs: jobs 1 and 2 want both for a minute, 2 waits for 1, 3 wants
/// one for an hour.
class ReplayCommandTest implements RecordedCell {

    private static final long BEGINNING = 1_790_000_000_000L;
    private static final NodeName NODE = new NodeName("n1");

    private final CellState state = new CellState();
    private final Placement placement = new Placement(state, Settings.DEFAULT);
    private final List<SnapshotEvent> snapshots = new ArrayList<>();
    private final List<RoundEvent> rounds = new ArrayList<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private long round;
    private long now = BEGINNING;

    @Override
    public void snapshots(Consumer<SnapshotEvent> reader) {
        snapshots.forEach(reader);
    }

    @Override
    public void rounds(Predicate<RoundEvent> reader) {
        for (RoundEvent event : rounds) {
            if (!reader.test(event)) {
                return;
            }
        }
    }

    @Override
    public void follow(Predicate<RoundEvent> reader, BooleanSupplier pause) {
        for (RoundEvent event : rounds) {
            if (!reader.test(event)) {
                return;
            }
            if (event instanceof RoundEvent.Decided && !pause.getAsBoolean()) {
                return;
            }
        }
    }

    @BeforeEach
    void live() {
        round(configured(), registered());
        snapshot();
        round(submitted(1, 2, 60), submitted(2, 2, 60), submitted(3, 1, 3600));
        now += 1000;
        round(new Input.Reported(new RunReport.Started(run(1), NODE, 1, 1, List.of())));
        now += 60_000;
        round(ended(1));
        now += 1000;
        round(new Input.Reported(new RunReport.Started(run(2), NODE, 1, 2, List.of())));
        now += 30_000;
        round(ended(2));
    }

    private static Input configured() {
        var assembler = new ConfigurationAssembler();
        var unused =
                assembler.add(
                        new ConfigEntry.Cluster(
                                new ConfigEntry.Part(1, 1, 2),
                                "test",
                                "default",
                                "normal",
                                0,
                                604_800,
                                false,
                                new ConfigEntry.Weights(0, 0, 0, 0, 0),
                                new ConfigEntry.Prices(1000, 0, 0, Map.of())));
        return new Input.Configured(
                assembler
                        .add(
                                new ConfigEntry.Partition(
                                        new ConfigEntry.Part(1, 2, 2),
                                        "batch",
                                        true,
                                        List.of("ALL"),
                                        0,
                                        600,
                                        0,
                                        1,
                                        1,
                                        1024))
                        .orElseThrow());
    }

    private static Input registered() {
        List<Gpu> gpus =
                List.of(
                        new Gpu(0, "GPU-0", "a100", "A100", 0, 40_960, 0),
                        new Gpu(1, "GPU-1", "a100", "A100", 1, 40_960, 0));
        var inventory =
                new Inventory(1, 8, 1, 8, 65_536, gpus, List.of(), true, null, "linux", "x86_64");
        return new Input.Registered(
                new NodeSeen(NODE, "nonce", "machine", "boot", "test", inventory, List.of(), 0));
    }

    private static Input submitted(long id, int gpus, long seconds) {
        var request =
                new ResourceRequest(
                        1, 1, 1, MemoryRequest.perCpu(1024), new GpuRequest(gpus, null));
        var description =
                new JobDescription(
                        "alice",
                        "team",
                        "batch",
                        "normal",
                        "job",
                        request,
                        LaunchMode.BATCH,
                        seconds,
                        0,
                        true);
        return new Input.Asked(
                new Submitted(
                        new JobId(id), description, "alice", new SpecReference(0, 0, "00"), null),
                id);
    }

    private static Input ended(long job) {
        return new Input.Reported(
                new RunReport.Ended(
                        run(job),
                        NODE,
                        1,
                        1,
                        RunReport.Cause.EXITED,
                        ExitStatus.SUCCESS,
                        Consumption.NONE,
                        null));
    }

    private static RunId run(long job) {
        return new RunId(new JobId(job), 1);
    }

    private void round(Input... inputs) {
        round++;
        var facts = new ArrayList<Fact>();
        int number = 0;
        for (Input input : inputs) {
            replay(Engine.decide(state, input, now), facts);
            for (Recorded recorded : Recordings.of(input)) {
                rounds.add(new RoundEvent.Took(0, round, number++, recorded));
            }
        }
        replay(Engine.due(state, now), facts);
        replay(Engine.place(state, placement, now, Pass.START), facts);
        rounds.add(
                new RoundEvent.Decided(
                        0,
                        round,
                        now,
                        number,
                        Pass.START.name(),
                        Settings.DEFAULT.backfill().name(),
                        Settings.DEFAULT.depth(),
                        "test",
                        DecisionDigest.of(facts)));
    }

    private void replay(List<Fact> decided, List<Fact> facts) {
        for (Fact fact : decided) {
            state.replay(fact);
            placement.note(fact);
        }
        facts.addAll(decided);
    }

    private void snapshot() {
        int number = 0;
        for (Fact fact : state.facts()) {
            for (Recorded recorded : Recordings.of(fact)) {
                snapshots.add(new SnapshotEvent.Held(0, round, number++, recorded));
            }
        }
        snapshots.add(new SnapshotEvent.Complete(0, round, now, number, state.highestJob()));
    }

    private String replayed(String... words) throws SimFailure {
        var command =
                new ReplayCommand(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        _ -> "",
                        ZoneOffset.UTC);
        command.run(Options.of(ReplayCommand.OPTIONS, List.of(words)), this);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void rounds_that_decide_the_same_are_counted() throws SimFailure {
        assertThat(replayed())
                .isEqualTo(
                        "Rounds 2 to 6 (2026-09-21T14:13:20 to 2026-09-21T14:14:52), from the snapshot"
                                + " of round 1: 7 inputs, 29 decisions, all the same.\n");
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void a_round_that_decides_otherwise_is_shown_and_fails() {
        int place = rounds.size() - 1;
        var last = (RoundEvent.Decided) rounds.get(place);
        rounds.set(place, last.digested(1, "0".repeat(64)));

        assertThatThrownBy(() -> replayed())
                .isInstanceOf(SimFailure.class)
                .hasMessageStartingWith(
                        "round 6 decides otherwise now (written by placement test, this is edition "
                                + Replay.EDITION
                                + "): the digest was 0000");
        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith("Round 6 at 2026-09-21T14:14:52, pass START, decided otherwise now\n");
    }

    /// Round 4 has lost its input: it decides otherwise.
    private void loseAnInput() {
        rounds.removeIf(it -> it instanceof RoundEvent.Took took && took.round() == 4);
        rounds.replaceAll(it ->
                it instanceof RoundEvent.Decided decided && decided.round() == 4
                        ? decided.digested(0, decided.digest())
                        : it);
    }

    @Test
    void an_input_that_somebody_changed_is_found() {
        loseAnInput();

        assertThatThrownBy(() -> replayed())
                .hasMessageStartingWith("round 4 decides otherwise now");
    }

    @ParameterizedTest
    @CsvSource({
        "berth.runs.v1/Ended, {",
        "berth.runs.v1/Ended, null",
        "berth.runs.v1/Teleported, {}",
        "nothing, {}",
        "presence/ASLEEP, n1",
        "presence/DOWN, -",
        "placing-failed/x, why",
        "placing-failed/0, why",
    })
    void what_nobody_can_read_in_a_round_ends_it_in_a_line(String type, String event) {
        rounds.addFirst(new RoundEvent.Took(0, 2, 0, new Recorded(type, null, event)));

        assertThatThrownBy(() -> replayed())
                .isInstanceOf(SimFailure.class)
                .hasMessageStartingWith("round 2 is not understood: ")
                .message()
                .doesNotContain("\n");
    }

    @ParameterizedTest
    @CsvSource({
        "berth.job-states.v1/JobStatus, {",
        "berth.node-states.v1/NodeStatus, null",
        "berth.job-states.v1/Teleported, {}",
        "nothing, {}",
    })
    void what_nobody_can_read_in_a_snapshot_ends_it_in_a_line(String type, String event) {
        snapshots.addFirst(new SnapshotEvent.Held(0, 1, 0, new Recorded(type, null, event)));

        assertThatThrownBy(() -> replayed())
                .isInstanceOf(SimFailure.class)
                .hasMessageStartingWith("the snapshot of round 1 is not understood: ")
                .message()
                .doesNotContain("\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--shadow",
                "--shadow --follow",
                "--trace target",
                "--round 5",
                "--round 4 --why 2"
            })
    void nothing_is_said_of_a_history_that_this_engine_tells_otherwise(String words) {
        loseAnInput();

        assertThatThrownBy(() -> replayed(words.split(" ")))
                .isInstanceOf(SimFailure.class)
                .hasMessageStartingWith("round 4 decides otherwise now (written by placement test,")
                .hasMessageEndingWith(": give a --from after the next snapshot");
    }

    @Test
    void the_round_itself_that_decides_otherwise_is_shown() throws SimFailure {
        loseAnInput();

        assertThat(replayed("--round", "4")).contains(", decided otherwise now\n");
    }

    @ParameterizedTest
    @CsvSource({
        "--why 1, --why: only with --round",
        "--round 2 --shadow, --round: not with --shadow",
        "--round 2 --trace t, --round: not with --trace",
        "--trace t --shadow, --trace: not with --shadow",
        "--csv f, --csv: only with --shadow",
        "--follow, --follow: only with --shadow",
        "--shadow --every 5, --every: only with --follow",
        "--shadow --follow --csv f, --follow: not with --csv",
        "--trace t --policy sjf, --policy: only with --shadow",
    })
    void options_that_would_have_no_effect_are_refused(String words, String message) {
        assertThatThrownBy(() -> replayed(words.split(" ")))
                .isInstanceOf(SimFailure.class)
                .hasMessage(message);
    }

    @Test
    void a_round_is_shown_with_what_came_in_and_what_was_decided() throws SimFailure {
        assertThat(replayed("--round", "4").lines())
                .startsWith("Round 4 at 2026-09-21T14:14:21, pass START, the same again")
                .anyMatch(line -> line.startsWith("took    berth.runs.v1/Ended {\"run\""))
                .anyMatch(line -> line.startsWith("decided Ended[job=1"))
                .anyMatch(line -> line.startsWith("ordered Launch["));
    }

    @Test
    void a_round_is_asked_why() throws SimFailure {
        assertThat(replayed("--round", "2", "--why", "2"))
                .contains("FREE         0 nodes, 0 GPUs free\n")
                .contains("expected to start by 2026-09-21T14:14:22");
        assertThatThrownBy(() -> replayed("--round", "2", "--why", "1"))
                .hasMessage("job 1 does not wait for resources after that round");
    }

    @Test
    void a_round_is_asked_why_a_job_has_no_expected_start() throws SimFailure {
        round(submitted(4, 3, 60));

        assertThat(replayed("--round", "7", "--why", "4")).contains("no expected start: NEVER\n");
    }

    @Test
    void another_policy_runs_over_the_jobs_that_came() throws SimFailure {
        String text = replayed("--shadow", "--policy", "sjf");

        assertThat(text.lines().toList())
                .startsWith("As it was: 2 jobs on 1 nodes with 2 GPUs")
                .contains(
                        "The shadow, simulated: order sjf, backfill easy, estimates actual, nodes x1.0");
        assertThat(text.lines().filter(line -> line.startsWith("wait s")).toList())
                .satisfiesExactly(
                        was -> assertThat(was).contains(" 61.0"),
                        shadow -> assertThat(shadow).contains(" 31.0"));
    }

    @Test
    void a_live_shadow_adds_a_line_whenever_jobs_have_ended() throws SimFailure {
        String text = replayed("--shadow", "--follow", "--every", "0", "--policy", "sjf");

        assertThat(text.lines().skip(3))
                .containsExactly(
                        "2026-09-21T14:14:21       1       0.0       0.0       0.0       0.0  100.0"
                                + "  100.0    0.0    0.0       0       0",
                        "2026-09-21T14:14:52       2      30.5      15.5      61.0      31.0  100.0"
                                + "  100.0    0.0    0.0       0       0");
    }

    @Test
    void a_live_shadow_ends_when_a_round_is_missing() {
        rounds.removeIf(it -> it.round() == 4);

        assertThatThrownBy(() -> replayed("--shadow", "--follow"))
                .hasMessage("round 4 is missing: the log goes on with round 5");
    }

    @Test
    void a_shadow_over_a_log_that_lacks_a_round_says_so() throws SimFailure {
        rounds.removeIf(it -> it.round() == 5);

        assertThat(replayed("--shadow")).startsWith("As it was: 1 jobs");
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("berth replay: round 5 is missing: the log goes on with round 6\n");
    }

    @Test
    void both_starts_of_each_job_are_written_where_that_is_wanted(@TempDir Path folder)
            throws SimFailure {
        Path csv = folder.resolve("starts.csv");

        var unused = replayed("--shadow", "--policy", "sjf", "--csv", csv.toString());

        assertThat(csv)
                .hasContent(
                        """
                        job_id,submit_s,duration_s,gpus,start_s,shadow_start_s
                        1,0.000,61.000,2,0.000,31.000
                        2,0.000,31.000,2,61.000,0.000
                        """);
    }

    @Test
    void a_time_of_the_log_becomes_a_trace_that_can_be_simulated(@TempDir Path folder)
            throws SimFailure {
        assertThat(replayed("--trace", folder.toString())).isEqualTo("2 jobs, 1 nodes\n");

        int exitCode =
                Main.run(
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        List.of(
                                "run",
                                "--jobs=" + folder.resolve("jobs.csv"),
                                "--nodes=" + folder.resolve("nodes.csv"),
                                "--estimates=limit",
                                "--policy=fairshare",
                                "--by-account"));

        assertThat(exitCode).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("jobs.csv: 2 jobs on 1 nodes with 2 GPUs, simulated; order fairshare")
                .containsPattern("team +2 +30\\.5 +61\\.0 +100\\.0 +100\\.0 ");
    }

    @Test
    void only_rounds_of_the_time_are_counted() throws SimFailure {
        assertThat(replayed("--from", "2026-09-21T14:14:00", "--to", "2026-09-21T14:14:25"))
                .startsWith("Rounds 4 to 5 (");
        assertThatThrownBy(() -> replayed("--from", "2026-09-22"))
                .hasMessage("no round of that time is in the log");
        assertThatThrownBy(() -> replayed("--from", "soon"))
                .hasMessage("--from: 'soon' is no time");
    }

    @ParameterizedTest
    @CsvSource({
        "19:30, 2026-09-21T19:30:00Z",
        "19:41:01, 2026-09-20T19:41:01Z",
        "2026-09-20T10:00, 2026-09-20T10:00:00Z",
        "now-20minutes, 2026-09-21T19:21:00Z"
    })
    void a_time_of_day_is_the_last_one_that_there_was(String text, Instant time) {
        ZonedDateTime now = ZonedDateTime.parse("2026-09-21T19:41:00Z");

        assertThat(ReplayCommand.past(text, now)).hasValue(time.toEpochMilli());
    }

    @Test
    void a_missing_round_ends_it_and_that_is_said() throws SimFailure {
        rounds.removeIf(it -> it.round() == 4);

        assertThat(replayed()).startsWith("Rounds 2 to 3 (");
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("berth replay: round 4 is missing: the log goes on with round 5\n");
    }

    @Test
    void a_snapshot_that_was_not_written_to_its_end_is_none() {
        snapshots.removeLast();

        assertThatThrownBy(() -> replayed()).hasMessageStartingWith("there is no snapshot");
    }
}
