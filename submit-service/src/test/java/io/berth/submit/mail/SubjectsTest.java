package io.berth.submit.mail;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.ArrayTask;
import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.JobTerms;
import io.berth.contracts.MailRequest;
import io.berth.contracts.MailType;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.event.JobEvent;
import io.berth.slurm.MailText;
import io.berth.submit.Job;
import io.berth.submit.Job.Attempt;
import io.berth.submit.Samples;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Whose subjects are those of a real Slurm's mail.
class SubjectsTest {

    private static final JobDescription TRAIN = Samples.description("alice", "batch", 1);

    private static MailRequest wanted(String types) {
        return new MailRequest(MailText.parse(types).orElseThrow(), null);
    }

    private static Job job(long id, JobDescription description, JobState state, int code, long at) {
        return job(id, description, state, code, at, null);
    }

    private static Job job(
            long id,
            JobDescription description,
            JobState state,
            int code,
            long at,
            @Nullable Attempt attempt) {
        return new Job(
                new JobId(id),
                description,
                "alice",
                0,
                0,
                null,
                0,
                id,
                17_000,
                state,
                Reason.NONE,
                Rank.NONE,
                attempt,
                0,
                at,
                new ExitStatus(code, 0),
                null,
                null,
                null,
                null,
                null);
    }

    private static Job running(int task, long placedAt) {
        var attempt = new Attempt(1, placedAt, true, 0, List.of(), 0, 0, 0, null, List.of());
        return job(20 + task, task(task), JobState.RUNNING, 0, 0, attempt);
    }

    private static EndedRun run(JobState outcome) {
        return new EndedRun(
                1, List.of(), 5000, 6000, 67_500, outcome, ExitStatus.SUCCESS, Charge.ZERO);
    }

    private static JobEvent ended(long job, JobState state, ExitStatus exit) {
        return new JobEvent.Ended(
                new JobId(job),
                70_000,
                TRAIN,
                state,
                Reason.NONE,
                exit,
                1000,
                List.of(run(state)),
                null,
                null);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ALL             | COMPLETED | 0:0 | Ended, Run time 00:01:01, COMPLETED, ExitCode 0",
                "END             | FAILED    | 3:0 | Ended, Run time 00:01:01, FAILED, ExitCode 3",
                "END,FAIL        | FAILED    | 3:0 | Failed, Run time 00:01:01, FAILED, ExitCode 3",
                "FAIL            | CANCELLED | 0:15 | ''",
                "END             | CANCELLED | 0:15 | Ended, Run time 00:01:01, CANCELLED",
                "FAIL            | TIMEOUT   | 0:0 | Failed, Run time 00:01:01, TIMEOUT, ExitCode 0",
                "TIME_LIMIT      | TIMEOUT   | 0:0 | Reached time limit, Run time 00:01:01",
                "BEGIN           | COMPLETED | 0:0 | ''"
            })
    void the_end_of_a_job_is_told_to_whom_it_concerns(
            String types, JobState state, String exit, String what) {
        String[] status = exit.split(":");
        JobEvent event =
                ended(
                        17,
                        state,
                        new ExitStatus(Integer.parseInt(status[0]), Integer.parseInt(status[1])));

        List<String> subjects =
                new Subjects(job(17, TRAIN, state, 0, 70_000), wanted(types), List::of).of(event);

        assertThat(subjects)
                .isEqualTo(
                        what.isEmpty() ? List.of() : List.of("Slurm Job_id=17 Name=train " + what));
    }

    @Test
    void a_job_that_begins_says_how_long_it_was_queued_and_one_that_is_requeued_how_long_it_ran() {
        var subjects =
                new Subjects(
                        job(17, TRAIN, JobState.RUNNING, 0, 0), wanted("BEGIN,REQUEUE"), List::of);

        assertThat(subjects.of(new JobEvent.Started(new JobId(17), 3_617_000, 1)))
                .containsExactly("Slurm Job_id=17 Name=train Began, Queued time 01:00:00");
        assertThat(
                        subjects.of(
                                new JobEvent.Requeued(
                                        new JobId(17), 70_000, run(JobState.PENDING), Reason.NONE)))
                .containsExactly("Slurm Job_id=17 Name=train Requeued, Run time 00:01:01");
    }

    private static JobDescription task(int task) {
        var none = JobTerms.NONE.as(new ArrayTask(new JobId(20), task, 3, 0, 2, 1, 0));
        return TRAIN.on(none);
    }

    /// Tasks 0 to 2, each with its state, exit code and end: `COMPLETED:0:900`.
    private static List<Job> tasks(String states) {
        String[] each = states.split(" ");
        return Arrays.stream(each)
                .map(it -> it.split(":"))
                .map(it ->
                        job(
                                20 + Arrays.asList(each).indexOf(String.join(":", it)),
                                task(Arrays.asList(each).indexOf(String.join(":", it))),
                                JobState.valueOf(it[0]),
                                Integer.parseInt(it[1]),
                                Long.parseLong(it[2])))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "COMPLETED:0:900 COMPLETED:0:800 COMPLETED:0:700 | 0 | Ended, COMPLETED, ExitCode [0-0]",
                "COMPLETED:0:900 COMPLETED:0:800 COMPLETED:0:700 | 1 | ''",
                "COMPLETED:0:900 FAILED:3:800 COMPLETED:0:901    | 2 | Failed, Mixed, ExitCode [0-3]",
                "COMPLETED:0:900 FAILED:3:900 COMPLETED:0:800    | 0 | ''",
                "COMPLETED:0:900 FAILED:3:900 COMPLETED:0:800    | 1 | Failed, Mixed, ExitCode [0-3]",
                "COMPLETED:0:900 RUNNING:0:0 COMPLETED:0:800     | 0 | ''"
            })
    void an_array_ends_once_with_its_last_task(String states, int ended, String what) {
        List<Job> tasks = tasks(states);
        Job task = tasks.get(ended);

        List<String> subjects =
                new Subjects(task, wanted("ALL"), () -> tasks)
                        .of(ended(task.id().value(), task.state(), ExitStatus.SUCCESS));

        assertThat(subjects)
                .isEqualTo(
                        what.isEmpty()
                                ? List.of()
                                : List.of(
                                        "Slurm Array Summary Job_id=20_* (20) Name=train " + what));
    }

    @ParameterizedTest
    @CsvSource({"8000, 7000, 1", "7000, 8000, 0", "7000, 7000, 0", "0, 7000, 1"})
    void an_array_begins_once_with_its_first_task(long first, long second, int told) {
        List<Job> tasks = List.of(running(0, first), running(1, second));

        List<List<String>> subjects =
                tasks.stream()
                        .map(task ->
                                new Subjects(task, wanted("BEGIN"), () -> tasks)
                                        .of(new JobEvent.Started(task.id(), 9000, 1)))
                        .toList();

        assertThat(subjects.get(told))
                .containsExactly("Slurm Array Summary Job_id=20_* (20) Name=train Began");
        assertThat(subjects.get(1 - told)).isEmpty();
    }

    /// Tasks of which the first is not shown any more; it ended so.
    private static Subjects.Tasks withoutFirst(List<Job> others, JobEvent first) {
        return new Subjects.Tasks() {
            @Override
            public List<Job> shown() {
                return others;
            }

            @Override
            public List<JobEvent.Ended> forgotten() {
                return List.of((JobEvent.Ended) first);
            }
        };
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ALL  | FAILED    | 3 | Failed, Mixed, ExitCode [0-3]",
                "FAIL | FAILED    | 3 | Failed, Mixed, ExitCode [0-3]",
                "END  | CANCELLED | 0 | Ended, Mixed, ExitCode [0-0]",
                "FAIL | COMPLETED | 0 | ''"
            })
    void the_end_of_an_array_is_also_that_of_tasks_that_nobody_shows_any_more(
            String types, JobState first, int code, String what) {
        List<Job> others = tasks("COMPLETED:0:0 COMPLETED:0:800 COMPLETED:0:900").subList(1, 3);
        var tasks = withoutFirst(others, ended(20, first, new ExitStatus(code, 0)));

        List<String> subjects =
                new Subjects(others.getLast(), wanted(types), tasks)
                        .of(ended(22, JobState.COMPLETED, ExitStatus.SUCCESS));

        assertThat(subjects)
                .isEqualTo(
                        what.isEmpty()
                                ? List.of()
                                : List.of(
                                        "Slurm Array Summary Job_id=20_* (20) Name=train " + what));
    }

    @Test
    void an_array_does_not_begin_again_when_nobody_shows_its_first_task_any_more() {
        Job second = running(1, 90_000);
        var tasks =
                withoutFirst(List.of(second), ended(20, JobState.COMPLETED, ExitStatus.SUCCESS));

        assertThat(
                        new Subjects(second, wanted("BEGIN"), tasks)
                                .of(new JobEvent.Started(second.id(), 91_000, 1)))
                .isEmpty();
    }

    private static List<Job> notAsked() {
        throw new AssertionError("all tasks of the array are looked at");
    }

    @Test
    void each_task_is_told_of_where_that_is_asked_for() {
        Job task = tasks("COMPLETED:0:900").getFirst();

        List<String> subjects =
                new Subjects(task, wanted("END,ARRAY_TASKS"), SubjectsTest::notAsked)
                        .of(ended(20, JobState.COMPLETED, ExitStatus.SUCCESS));

        assertThat(subjects)
                .containsExactly(
                        "Slurm Array Task Job_id=20_0 (20) Name=train Ended, Run time 00:01:01,"
                                + " COMPLETED, ExitCode 0");
    }

    @Test
    void what_is_told_of_a_task_alone_needs_no_other() {
        Job task = running(0, 7000);

        var subjects = new Subjects(task, wanted("REQUEUE"), SubjectsTest::notAsked);

        assertThat(subjects.of(new JobEvent.Started(task.id(), 9000, 1))).isEmpty();
        assertThat(subjects.of(ended(20, JobState.COMPLETED, ExitStatus.SUCCESS))).isEmpty();
        assertThat(
                        subjects.of(
                                new JobEvent.Requeued(
                                        task.id(), 70_000, run(JobState.PENDING), Reason.NONE)))
                .containsExactly(
                        "Slurm Array Task Job_id=20_0 (20) Name=train Requeued, Run time 00:01:01");
    }

    private static Job running(JobState state, long suspendedMillis) {
        var attempt =
                new Attempt(1, 100_000, true, 0, List.of(), suspendedMillis, 0, 0, null, List.of());
        return job(17, TRAIN, state, 0, 0, attempt);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "RUNNING   | 0     | 0       | 1899999 | ''",
                "RUNNING   | 0     | 1899999 | 1900000 | 50 30:00",
                "RUNNING   | 0     | 1900000 | 2979999 | ''",
                "RUNNING   | 0     | 1899999 | 9999999 | 50 30:00, 80 48:00, 90 54:00",
                "RUNNING   | 60000 | 1899999 | 1959999 | ''",
                "RUNNING   | 60000 | 1959999 | 1960000 | 50 30:00",
                "SUSPENDED | 0     | 0       | 9999999 | ''",
            })
    void a_run_comes_to_each_part_of_its_time_limit_once(
            JobState state, long suspended, long after, long until, String parts) {
        List<String> subjects =
                Milestones.between(
                                Stream.of(running(state, suspended)),
                                Milestones.Told.until(after),
                                until)
                        .stream()
                        .flatMap(it ->
                                new Subjects(
                                                it.job(),
                                                wanted("TIME_LIMIT_50,TIME_LIMIT_80,TIME_LIMIT_90"),
                                                SubjectsTest::notAsked)
                                        .of(it).stream())
                        .map(it -> it.replaceFirst("Slurm Job_id=17 Name=train Reached ", ""))
                        .map(it -> it.replaceFirst("% of time limit, Run time 00:", " "))
                        .toList();

        assertThat(String.join(", ", subjects)).isEqualTo(parts);
    }

    @Test
    void only_the_parts_that_are_asked_for_are_told_and_of_tasks_where_these_are() {
        Job task = running(0, 100_000);
        List<Milestones.Reached> all =
                Milestones.between(Stream.of(task), Milestones.Told.until(0), 9_999_999);

        assertThat(all.stream().flatMap(it -> told(task, it, "ALL,TIME_LIMIT"))).isEmpty();
        assertThat(all.stream().flatMap(it -> told(task, it, "TIME_LIMIT_80"))).isEmpty();
        assertThat(all.stream().flatMap(it -> told(task, it, "TIME_LIMIT_80,ARRAY_TASKS")))
                .containsExactly(
                        "Slurm Array Task Job_id=20_0 (20) Name=train Reached 80% of time limit,"
                                + " Run time 00:48:00");
    }

    @Test
    void what_is_told_up_to_one_of_several_jobs_goes_on_after_it() {
        var attempt = new Attempt(1, 100_000, true, 0, List.of(), 0, 0, 0, null, List.of());
        List<Job> jobs =
                Stream.of(19, 17, 18)
                        .map(id -> job(id, TRAIN, JobState.RUNNING, 0, 0, attempt))
                        .toList();
        List<Milestones.Reached> all =
                Milestones.between(jobs.stream(), Milestones.Told.until(0), 2_980_000);

        for (int told = 0; told < all.size(); told++) {
            String said = all.get(told).told().text();
            assertThat(
                            Milestones.between(
                                    jobs.stream(),
                                    Milestones.Told.parse(said).orElseThrow(),
                                    2_980_000))
                    .isEqualTo(all.subList(told + 1, all.size()));
        }
        assertThat(all).hasSize(6);
        assertThat(Milestones.Told.parse(Milestones.Told.until(9).text()))
                .contains(Milestones.Told.until(9));
        assertThat(Milestones.Told.parse("yesterday")).isEmpty();
    }

    private static Stream<String> told(Job job, Milestones.Reached part, String types) {
        return new Subjects(job, wanted(types), SubjectsTest::notAsked).of(part).stream();
    }

    @Test
    void a_job_that_ends_for_its_dependency_says_so() {
        var event =
                new JobEvent.Ended(
                        new JobId(17),
                        70_000,
                        TRAIN,
                        JobState.CANCELLED,
                        Reason.DEPENDENCY_NEVER_SATISFIED,
                        ExitStatus.SUCCESS,
                        0,
                        List.of(),
                        null,
                        null);
        Job job = job(17, TRAIN, JobState.CANCELLED, 0, 70_000);

        assertThat(new Subjects(job, wanted("INVALID_DEPEND"), List::of).of(event))
                .containsExactly("Slurm Job_id=17 Name=train Invalid dependency");
        assertThat(new Subjects(job, wanted("ALL"), List::of).of(event))
                .containsExactly(
                        "Slurm Job_id=17 Name=train Invalid dependency",
                        "Slurm Job_id=17 Name=train Ended, Run time 00:00:00, CANCELLED, ExitCode 0");
    }

    @Test
    void what_nobody_asks_for_is_not_told() {
        assertThat(MailText.parse("none")).contains(List.of());
        assertThat(MailText.parse("END,STAGE_OUT")).contains(List.of(MailType.END));
        assertThat(MailText.parse("sometimes")).isEmpty();
    }
}
