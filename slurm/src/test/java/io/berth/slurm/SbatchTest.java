package io.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.ShareRequest;
import java.nio.file.NoSuchFileException;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SbatchTest {

    private static final String PLAIN = "#!/bin/sh\ntrue\n";

    private static JobSubmission lines(String... lines) throws InvalidOption {
        return Sbatch.submission(
                List.of(),
                Map.of(),
                "#!/bin/sh\n" + String.join("\n", lines) + "\ntrue\n",
                List.of());
    }

    private static final ZonedDateTime NOW =
            ZonedDateTime.of(2026, 11, 20, 10, 0, 0, 0, ZoneId.of("UTC"));

    private static JobSubmission words(String... words) throws InvalidOption {
        return Sbatch.submission(List.of(words), Map.of(), PLAIN, List.of());
    }

    private static SbatchRequest request(Map<String, String> environment, String... words)
            throws InvalidOption {
        return Sbatch.request(
                Sbatch.commandLine(List.of(words)),
                environment,
                BatchScript.of(PLAIN),
                List.of("a", "b"),
                new SubmittedFrom("train.sh", "/home/alice", "login1", "alice", () -> NOW));
    }

    private static InvalidOption refusal(String... words) {
        return catchThrowableOfType(InvalidOption.class, () -> words(words));
    }

    @Test
    void a_container_is_a_folder_seen_from_the_jobs_own() throws InvalidOption {
        assertThat(request(Map.of(), "--container=images/torch").submission().container())
                .isEqualTo("/home/alice/images/torch");
        assertThat(request(Map.of("SBATCH_CONTAINER", "/i"), "-D", "x").submission().container())
                .isEqualTo("/i");
        assertThat(words("--export=ALL").container()).isNull();
    }

    @Test
    void a_script_with_the_usual_lines_becomes_the_job_that_it_describes() throws InvalidOption {
        JobSubmission job =
                lines(
                        "#SBATCH --job-name=train --partition=batch -A team_a",
                        "#SBATCH -N 2 --ntasks-per-node=4 -c 8",
                        "#SBATCH --gres=gpu:a100:4 --mem=64G",
                        "#SBATCH --time=2-12:00:00 --nice=50 --no-requeue --open-mode=append",
                        "#SBATCH -o logs/%x-%j.out -e logs/%j.err");

        assertThat(job.name()).isEqualTo("train");
        assertThat(job.partition()).isEqualTo("batch");
        assertThat(job.account()).isEqualTo("team_a");
        assertThat(job.nodes()).isEqualTo(2);
        assertThat(job.tasksPerNode()).isEqualTo(4);
        assertThat(job.tasks()).isNull();
        assertThat(job.cpusPerTask()).isEqualTo(8);
        assertThat(job.gpusPerNode()).isEqualTo(4);
        assertThat(job.gpuType()).isEqualTo("a100");
        assertThat(job.memoryMibPerNode()).isEqualTo(65_536);
        assertThat(job.timeLimitSeconds()).isEqualTo(216_000);
        assertThat(job.nice()).isEqualTo(50);
        assertThat(job.requeue()).isFalse();
        assertThat(job.appendOutput()).isTrue();
        assertThat(job.standardOutput()).isEqualTo("logs/%x-%j.out");
        assertThat(job.standardError()).isEqualTo("logs/%j.err");
    }

    @Test
    void the_command_line_outranks_variables_and_variables_outrank_lines() throws InvalidOption {
        String script = "#!/bin/sh\n#SBATCH -p one -A one -q one\n";

        JobSubmission job =
                Sbatch.submission(
                        List.of("-p", "three"),
                        Map.of("SBATCH_PARTITION", "two", "SBATCH_ACCOUNT", "two"),
                        script,
                        List.of());

        assertThat(job.partition()).isEqualTo("three");
        assertThat(job.account()).isEqualTo("two");
        assertThat(job.qos()).isEqualTo("one");
    }

    @Test
    void memory_of_an_option_outranks_another_kind_of_memory_of_a_variable() throws InvalidOption {
        JobSubmission job =
                Sbatch.submission(
                        List.of("--mem=2G"), Map.of("SBATCH_MEM_PER_CPU", "1G"), PLAIN, List.of());

        assertThat(job.memoryMibPerNode()).isEqualTo(2048);
        assertThat(job.memoryMibPerCpu()).isNull();
    }

    @Test
    void quotes_and_comments_in_a_line_are_understood() throws InvalidOption {
        JobSubmission job = lines("#SBATCH -J \"two words\" -o 'a #b' -A x\\ y # -p no");

        assertThat(job.name()).isEqualTo("two words");
        assertThat(job.standardOutput()).isEqualTo("a #b");
        assertThat(job.account()).isEqualTo("x y");
        assertThat(job.partition()).isNull();
    }

    @Test
    void exclusive_is_for_a_job_or_for_its_user() throws InvalidOption {
        assertThat(words("--exclusive").nodesWanted().exclusive()).isTrue();
        assertThat(words("--exclusive=user").nodesWanted().exclusiveUser()).isTrue();
        assertThat(words("--exclusive", "-s").nodesWanted().exclusive()).isNull();
        assertThat(words("--exclusive", "-s").nodesWanted().oversubscribe()).isTrue();
        assertThat(words("-s", "--exclusive").nodesWanted().oversubscribe()).isNull();
        assertThat(words("--exclusive", "--exclusive=user").nodesWanted().exclusive())
                .as("the later one counts")
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"##SBATCH -p no", "' #SBATCH -p no'", "# SBATCH -p no", "#sbatch -p no"})
    void a_line_that_only_looks_like_a_directive_is_a_comment(String line) throws InvalidOption {
        assertThat(lines(line).partition()).isNull();
    }

    @Test
    void a_berth_line_chooses_where_the_script_starts() throws InvalidOption {
        assertThat(lines("#BERTH --launch=per-node").launch()).isEqualTo(LaunchMode.PER_NODE);
        assertThat(lines("#BERTH --launch batch").launch()).isEqualTo(LaunchMode.BATCH);
        assertThat(lines("#SBATCH -N2").launch()).isNull();
        assertThat(lines("#BERTH --topology=rack@10:00").nodesWanted().topology())
                .isEqualTo("rack@10:00");
        assertThat(lines("#BERTH --preempt=never --launch=batch").conditions().preemption())
                .isEqualTo("never");
    }

    private static List<JobSubmission> components(String script, String... words)
            throws InvalidOption {
        JobSubmission first = Sbatch.submission(List.of(words), Map.of(), script, List.of());
        return Stream.concat(Stream.of(first), first.furtherComponents().stream()).toList();
    }

    @Test
    void a_colon_parts_the_components_of_a_heterogeneous_job() throws InvalidOption {
        List<JobSubmission> set = components(PLAIN, "-n1", "-c32", ":", "-n8", "-G8", "job.sh");

        assertThat(set).extracting(JobSubmission::tasks).containsExactly(1, 8);
        assertThat(set).extracting(JobSubmission::cpusPerTask).containsExactly(32, null);
        assertThat(set).extracting(JobSubmission::gpus).containsExactly(null, 8);
        assertThat(set).extracting(JobSubmission::script).containsExactly(PLAIN, null);
        assertThat(Sbatch.commandLine(List.of("-n1", ":", "-n8", "job.sh", ":", "x")).operands())
                .as("after the script all words are its own")
                .containsExactly("job.sh", ":", "x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"hetjob", "packjob"})
    void a_line_of_its_own_parts_components_in_a_script(String word) throws InvalidOption {
        String script = "#!/bin/sh\n#SBATCH -n1\n#SBATCH " + word + "\n#SBATCH -n4 -N2\ntrue\n";

        assertThat(components(script)).extracting(JobSubmission::tasks).containsExactly(1, 4);
        assertThat(components(script)).extracting(JobSubmission::nodes).containsExactly(null, 2);
    }

    @Test
    void each_part_of_the_command_line_outranks_that_of_the_script() throws InvalidOption {
        String script = "#!/bin/sh\n#SBATCH -n1 -c2\n#SBATCH hetjob\n#SBATCH -n4 -c4\ntrue\n";

        List<JobSubmission> set = components(script, "-c8", ":", "-n5", ":", "-n6");

        assertThat(set).extracting(JobSubmission::cpusPerTask).containsExactly(8, 4, null);
        assertThat(set).extracting(JobSubmission::tasks).containsExactly(1, 5, 6);
    }

    @Test
    void some_options_are_handed_on_from_component_to_component() throws InvalidOption {
        List<JobSubmission> set =
                components(
                        PLAIN, "-A", "one", "-t5", "-p", "a", "--hold", ":", "-n2", ":", "-A",
                        "two", ":", "-n1");

        assertThat(set)
                .extracting(JobSubmission::account)
                .containsExactly("one", "one", "two", "two");
        assertThat(set).extracting(JobSubmission::timeLimitSeconds).containsOnly(300L);
        assertThat(set).extracting(it -> it.conditions().hold()).containsOnly(true);
        assertThat(set).extracting(JobSubmission::partition).containsExactly("a", null, null, null);
    }

    @Test
    void variables_are_options_of_every_component() throws InvalidOption {
        JobSubmission job =
                request(Map.of("SBATCH_PARTITION", "a"), "-n1", ":", "-p", "b", ":", "-n1")
                        .submission();

        assertThat(job.partition()).isEqualTo("a");
        assertThat(job.furtherComponents())
                .extracting(JobSubmission::partition)
                .containsExactly("b", "a");
    }

    @Test
    void only_the_first_component_has_what_the_script_needs() throws InvalidOption {
        List<JobSubmission> set =
                components(PLAIN, "-D", "/w", "--mail-type=END", ":", "-o", "x", "--mail-type=ALL");

        assertThat(set).extracting(JobSubmission::workingDirectory).containsExactly("/w", null);
        assertThat(set).extracting(JobSubmission::standardOutput).containsOnlyNulls();
        assertThat(set).extracting(JobSubmission::environment).last().isNull();
        assertThat(set).extracting(it -> it.conditions().mailType()).containsExactly("END", null);
    }

    @Test
    void what_a_component_asks_of_the_command_is_asked() throws InvalidOption {
        SbatchRequest request = request(Map.of(), "-n1", ":", "-n1", "--parsable", "--wait");

        assertThat(request.parsable()).isTrue();
        assertThat(request.waits()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--array=0-3 -n1 : -n2", "-n1 : -n2 -a 1"})
    void a_heterogeneous_job_is_no_array(String words) {
        assertThat(refusal(words.split(" ")).print("sbatch"))
                .isEqualTo(
                        "sbatch: error: Batch job submission failed: Invalid job array specification\n");
    }

    @Test
    void what_steps_of_a_further_component_would_not_find_is_refused() {
        assertThat(refusal("-n1", ":", "--gpu-bind=closest"))
                .hasMessageContaining("give them to srun");
    }

    @Test
    void tasks_that_share_cpus_are_those_of_steps() throws InvalidOption {
        var outer = Map.of("SLURM_NTASKS", "3", "SLURM_OVERCOMMIT", "1");

        JobSubmission shared =
                request(outer, "-O", "-n8", "-N2", "-c3", "--ntasks-per-node=5").submission();
        JobSubmission plain = request(outer, "-n2").submission();

        assertThat(shared)
                .extracting(
                        JobSubmission::nodes,
                        JobSubmission::tasks,
                        JobSubmission::tasksPerNode,
                        JobSubmission::cpusPerTask)
                .containsExactly(2, null, null, 3);
        assertThat(shared.environment())
                .containsEntry("SLURM_OVERCOMMIT", "1")
                .containsEntry("SLURM_NTASKS", "8");
        assertThat(plain.tasks()).isEqualTo(2);
        assertThat(plain.environment()).doesNotContainKey("SLURM_NTASKS");
    }

    @Test
    void a_heterogeneous_job_has_so_many_components_at_most() {
        String[] words = ("-n1" + " : -n1".repeat(128)).split(" ");

        assertThat(refusal(words)).hasMessageContaining("has 129 components, and may have 128");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "#BERTH --preempt=all | 255 | sbatch: error: Invalid --preempt specification",
                "#BERTH --topology=a/b | 1 | sbatch: error: Invalid --topology specification \"a/b\": a level such as rack, rack@10:00 or prefer:rack",
                "#BERTH --launch=all | 255 | sbatch: error: Invalid --launch specification",
                "#BERTH per-node | 1 | sbatch: error: Invalid directive found in batch script: per-node",
                "#SBATCH -N2 oops | 1 | sbatch: error: Invalid directive found in batch script: oops",
                "#SBATCH -n1 : -n2 | 1 | sbatch: error: Invalid directive found in batch script: :",
                "#SBATCH -J \"a | 1 | sbatch: error: line 2: Unmatched `\"` in [#SBATCH -J \"a]"
            })
    void a_wrong_line_is_refused(String line, int exitCode, String error) {
        InvalidOption refusal = catchThrowableOfType(InvalidOption.class, () -> lines(line));

        assertThat(refusal.exitCode()).isEqualTo(exitCode);
        assertThat(refusal.print("sbatch").strip()).isEqualTo(error);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-N2 -n 8 --ntasks-per-node=4 | 2 | 8 |",
                "-n8 --ntasks-per-node=4 | 2 | 8 |",
                "-n8 --tasks-per-node=4 | 2 | 8 |",
                "--nodes 3 | 3 | |",
                "--ntasks-per-n=3 | | | 3",
                "-QN3 | 3 | |",
                "-N 2-4 | 2 | |",
                "-N1k | 1024 | |",
                "--ntasks-per-node=4 | | | 4",
                "--gpus=8 --gpus-per-node=4 | 2 | |",
                "--gpus=8 --gpus-per-task=2 | | 4 |"
            })
    void nodes_and_tasks_follow_from_what_is_said(
            String words, Integer nodes, Integer tasks, Integer tasksPerNode) throws InvalidOption {
        JobSubmission job = words(words.split(" "));

        assertThat(job.nodes()).isEqualTo(nodes);
        assertThat(job.tasks()).isEqualTo(tasks);
        assertThat(job.tasksPerNode()).isEqualTo(tasksPerNode);
    }

    @Test
    void of_a_total_and_a_number_per_node_only_one_is_left() throws InvalidOption {
        JobSubmission job = words("--gpus=a100:8", "--gpus-per-node=4");

        assertThat(job.gpus()).isNull();
        assertThat(job.gpusPerNode()).isEqualTo(4);
        assertThat(job.gpuType()).isEqualTo("a100");
    }

    @Test
    void words_of_any_length_are_refused_in_a_line() {
        for (String words :
                List.of(
                        "--mem-bind=" + "v".repeat(50_000) + "x",
                        "--distribution=block" + ":block".repeat(50_000) + "x",
                        "--gpu-bind=" + "v,".repeat(50_000) + "x")) {
            assertThat(refusal(words)).isNotNull();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--bb=x | 1 | sbatch: error: --bb is not supported yet",
                "-O -n2 --gpus-per-task=1 | 1 | sbatch: error: --overcommit is not supported yet with --gpus-per-task: --gpus has so many for all tasks",
                "--gres-flags=one-task-per-sharing | 1 | sbatch: error: --gres-flags=one-task-per-sharing is not supported yet: disable-binding; --gpus-per-socket has a job's CPUs beside its GPUs",
                "--x11=all | 1 | sbatch: error: --x11 is not supported yet: windows are not forwarded; 'ssh -X' to a node of the job shows them, where its site lets users in",
                "-m plane=4 | 1 | sbatch: error: --distribution=plane=4 is not supported yet: block or cyclic",
                "-m foo | 255 | sbatch: error: Invalid --distribution specification",
                "--gpu-bind=single:0 | 1 | sbatch: error: --gpu-bind=single:0 is not supported yet: none, closest, single:N, per_task:N, map_gpu:LIST or mask_gpu:LIST",
                "--gpu-bind=some | 1 | sbatch: error: --gpu-bind=some is not supported yet: none, closest, single:N, per_task:N, map_gpu:LIST or mask_gpu:LIST",
                "--mem-bind=rank | 1 | sbatch: error: --mem-bind=rank is not supported yet: none or local",
                "--begin=foo | 255 | Invalid time specification (pos=0): foo",
                "--priority=high | 255 | sbatch: error: Invalid --priority specification",
                "-C a& | 1 | sbatch: error: Batch job submission failed: Invalid feature"
                        + " specification",
                "-w n[1 | 1 | sbatch: error: Batch job submission failed: Invalid node name"
                        + " specified",
                "--exclusive=mcs | 1 | sbatch: error: --exclusive=mcs is not supported yet",
                "-N | 255 | sbatch: option requires an argument -- 'N'",
                "--nodes | 255 | sbatch: option '--nodes' requires an argument",
                "--wait=5 | 255 | sbatch: option '--wait' doesn't allow an argument",
                "--gres=gpu:a100:1,gpu:2 | 1 | sbatch: error: Invalid GRES specification (with and"
                        + " without type identification)",
                "--gres=gpu:a100:1,gpu:1g.10gb:1 | 1 | sbatch: error: Invalid generic resource"
                        + " (gres) specification: instances of GPUs (1g.10gb) and GPUs of other"
                        + " types are not of one job",
                "--gres=gpu:a100:1,gpu:v100:1,mps:10 | 1 | sbatch: error: Invalid generic resource"
                        + " (gres) specification",
                "--gres=gpu:a100:1,gpu:v100:1 -G v100:2 | 1 | sbatch: error: Invalid generic"
                        + " resource (gres) specification: GPUs of several types (a100:1,v100:1)"
                        + " are counted in one way: per task, per node or in all",
                "--gpus-per-task=a100:1,v100:1 -n 2 -G a100:4 | 1 | sbatch: error: Invalid generic"
                        + " resource (gres) specification: GPUs of several types (a100:1,v100:1)"
                        + " are counted in one way: per task, per node or in all",
                "--gpus-per-socket=a100:1,v100:1 --sockets-per-node=2 -n2 --gpus-per-task=1 | 1"
                        + " | sbatch: error: Invalid generic resource (gres) specification: GPUs of"
                        + " several types (a100:2,v100:2) are counted in one way: per task, per"
                        + " node or in all",
                "--gpus-per-socket=a100:1,v100:1 --sockets-per-node=2 --gpus-per-node=a100:4 | 1"
                        + " | sbatch: error: Invalid generic resource (gres) specification",
                "--gpus-per-socket=2 --sockets-per-node=2 --gres=gpu:a100:3,gpu:v100:1 | 1"
                        + " | sbatch: error: Invalid generic resource (gres) specification",
                "--gpus-per-socket=a100:1,v100:1 --sockets-per-node=2 --gres=gpu:a100:3,gpu:v100:1"
                        + " | 1 | sbatch: error: Invalid generic resource (gres) specification",
                "--gpus-per-socket=a100:1,v100:2000000000 --sockets-per-node=2 | 1"
                        + " | sbatch: error: Invalid generic resource (gres) specification",
                "--gpus-per-task=v100:1 -n 2 -G a100:1 | 1 | sbatch: error: Invalid generic"
                        + " resource (gres) specification: GPUs of type a100 and of type v100,"
                        + " counted in two ways"
            })
    void what_cannot_be_done_is_refused_by_name(String words, int exitCode, String firstLine) {
        InvalidOption refusal = refusal(words.split(" "));

        assertThat(refusal.exitCode()).isEqualTo(exitCode);
        assertThat(refusal.print("sbatch").lines().findFirst().orElse("")).isEqualTo(firstLine);
        assertThat(refusal.code()).isEqualTo("invalid_option");
    }

    @ParameterizedTest
    @CsvSource({
        "--hint=nomultithread, 1",
        "--hint=compute_bound, 1",
        "--hint=multithread, ",
        "--hint=nomultithread --hint=multithread, ",
        "--ntasks-per-core=1, 1",
        "--ntasks-per-core=1 -c4, 4",
        "--ntasks-per-core=2 --hint=nomultithread, 2",
        "--threads-per-core=1, "
    })
    void tasks_on_some_threads_of_each_core_are_asked_for(String options, @Nullable Integer threads)
            throws InvalidOption {
        assertThat(words(options.split(" ")).nodesWanted().threadsUsed()).isEqualTo(threads);
    }

    @ParameterizedTest
    @CsvSource({
        "-n8 --spread-job, , 8",
        "-n8 --ntasks-per-node=2 --spread-job, 4, 8",
        "-n8 -N2 --spread-job, 2, ",
        "-n8 -N2-4 --spread-job, 2, 4",
        "-n1 --spread-job, , ",
        "--spread-job, , "
    })
    void a_job_that_is_spread_has_as_many_nodes_as_tasks_at_most(
            String options, @Nullable Integer nodes, @Nullable Integer most) throws InvalidOption {
        JobSubmission job = words(options.split(" "));

        assertThat(job.nodes()).isEqualTo(nodes);
        assertThat(job.nodesWanted().maxNodes()).isEqualTo(most);
    }

    @Test
    void a_hint_that_would_leave_cores_of_a_socket_alone_is_refused() {
        assertThatThrownBy(() -> words("--hint=memory_bound"))
                .hasMessage(
                        "--hint=memory_bound is not supported yet: multithread, nomultithread or compute_bound; --ntasks-per-socket=1 has one task on a socket");
    }

    @Test
    void what_is_said_of_steps_is_in_the_environment_of_the_script() throws InvalidOption {
        JobSubmission job =
                request(
                                Map.of("SBATCH_DISTRIBUTION", "cyclic", "A", "a"),
                                "--gpu-bind=Verbose,CLOSEST",
                                "--export=NONE",
                                "--mem-bind=local",
                                "--hint=multithread",
                                "--gres-flags=disable-binding",
                                "--no-kill=off",
                                "--propagate=STACK",
                                "--get-user-env",
                                "--cpu-freq=high")
                        .submission();

        assertThat(job.environment())
                .isEqualTo(
                        Map.of(
                                "SLURM_DISTRIBUTION",
                                "cyclic",
                                "SLURM_GPU_BIND",
                                "verbose,closest",
                                "SLURM_HINT",
                                "multithread",
                                "SLURM_MEM_BIND",
                                "local"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-G2 --ntasks-per-gpu=3                   | SLURM_GPU_BIND=single:3,SLURM_NTASKS_PER_GPU=3",
                "-G2 --ntasks-per-gpu=3 --gpu-bind=none   | SLURM_GPU_BIND=none,SLURM_NTASKS_PER_GPU=3",
                "-G2 --gpu-bind=closest --ntasks-per-gpu=3 | SLURM_GPU_BIND=closest,SLURM_NTASKS_PER_GPU=3",
                "-G2 -n4                                  | ''"
            })
    void tasks_of_a_gpu_are_bound_to_it_unless_the_job_says_otherwise(
            String options, String variables) throws InvalidOption {
        Map<String, String> environment =
                request(Map.of(), (options + " --export=NONE").split(" "))
                        .submission()
                        .environment();

        assertThat(String.valueOf(environment)).isEqualTo("{" + variables.replace(",", ", ") + "}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--hold            | ''",
                "--propagate       | SLURM_RLIMIT_CORE,SLURM_RLIMIT_NOFILE",
                "--propagate=ALL   | SLURM_RLIMIT_CORE,SLURM_RLIMIT_NOFILE",
                "--propagate=NONE  | ''",
                "--propagate=core,RLIMIT_STACK | SLURM_RLIMIT_CORE",
            })
    void limits_of_the_shell_are_handed_on_if_they_are_asked_for(String option, String names)
            throws InvalidOption {
        Map<String, String> environment =
                Map.of("SLURM_RLIMIT_CORE", "0", "SLURM_RLIMIT_NOFILE", "1024");

        Map<String, String> handedOn =
                Objects.requireNonNull(request(environment, option).submission().environment());

        assertThat(String.join(",", new TreeMap<>(handedOn).keySet())).isEqualTo(names);
        assertThat(refusal("--propagate=core,").print("sbatch"))
                .isEqualTo("sbatch: error: --propagate=core, is not valid.\n");
    }

    @Test
    void terms_and_constraints_are_handed_on_as_they_are_written() throws InvalidOption {
        JobSubmission job =
                request(
                                Map.of("SBATCH_ARRAY_INX", "0-9%2"),
                                "--hold",
                                "--begin=now+1hour",
                                "-d",
                                "afterok:7",
                                "--kill-on-invalid-dep=yes",
                                "--signal=B:USR1@60",
                                "-C",
                                "a100&nvme",
                                "--prefer=h100|nvme",
                                "-x",
                                "n[1-2]",
                                "--exclusive",
                                "--mail-type=END,FAIL",
                                "--mail-user=alice@lab",
                                "-N2-4")
                        .submission();

        JobSubmission asked =
                JobSubmission.of(it -> {
                    it.terms.array = "0-9%2";
                    it.terms.dependency = "afterok:7";
                    it.terms.killOnInvalidDependency = true;
                    it.terms.hold = true;
                    it.terms.beginAt = NOW.plusHours(1).toInstant().toEpochMilli();
                    it.terms.signal = "B:USR1@60";
                    it.terms.mailType = "END,FAIL";
                    it.terms.mailUser = "alice@lab";
                    it.where.constraint = "a100&nvme";
                    it.where.prefer = "h100|nvme";
                    it.where.excludedNodes = "n[1-2]";
                    it.where.exclusive = true;
                    it.where.maxNodes = 4;
                });
        assertThat(job.terms()).isEqualTo(asked.terms());
        assertThat(job.nodes()).isEqualTo(2);
        assertThat(job.where()).isEqualTo(asked.where());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mps:50             | MPS   | 500 |       |",
                "gres:mps:a100:1    | MPS   | 10  |       | a100",
                "mps                | MPS   | 10  |       |",
                "shard:2            | SHARD | 2   |       |",
                "gpumem:16G         | MPS   | 0   | 16384 |",
                "mps:20,gpumem:100  | MPS   | 200 | 100   |",
                "shard:1,gpumem:1G  | SHARD | 1   | 1024  |"
            })
    void a_part_of_a_gpu_may_be_asked_for(
            String gres, GpuSharing sharing, int parts, Long memoryMib, String type)
            throws InvalidOption {
        JobSubmission job = words("--gres=" + gres);

        assertThat(job.gpuPart()).isEqualTo(gres);
        assertThat(job.gpusPerNode()).isNull();
        assertThat(GpuPartText.parse(gres))
                .isEqualTo(GpuRequest.of(new ShareRequest(sharing, parts, memoryMib), type));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mps:0",
                "mps:101",
                "mps:-1",
                "mps:1.5",
                "mps:50,gpu:1",
                "mps:50,shard:1",
                "shard:17",
                "mps::5",
                "mps:a:b:5",
                "gpumem:0",
                "gpumem:lots",
                "gpumem:a100:1G",
                "mps:99999999999999"
            })
    void what_is_no_part_of_one_gpu_is_refused(String gres) {
        assertThat(refusal("--gres=" + gres))
                .hasMessageContaining("Invalid generic resource (gres) specification");
    }

    @ParameterizedTest
    @CsvSource({
        "gpu:1g.10gb:2, 1g.10gb, 2",
        "gpu:1g.10gb, 1g.10gb, 1",
        "mig:1g.5gb:1, 1g.5gb, 1",
        "mig:3g.40gb, 3g.40gb, 1",
        "gpu:a100_1g.5gb:3, a100_1g.5gb, 3",
        "gpu:1c.3g.20gb+me:1, 1c.3g.20gb+me, 1"
    })
    void instances_of_split_gpus_are_a_type(String gres, String type, int count)
            throws InvalidOption {
        JobSubmission job = words("--gres=" + gres);

        assertThat(job.gpuType()).isEqualTo(type);
        assertThat(job.gpusPerNode()).isEqualTo(count);
    }

    @Test
    void the_last_word_says_with_whom_a_job_shares_its_nodes() throws InvalidOption {
        JobSubmission topo = words("--exclusive=user", "--exclusive=topo");

        assertThat(topo.nodesWanted().exclusiveTopo()).isTrue();
        assertThat(topo.nodesWanted().exclusiveUser()).isNull();
        assertThat(words("--exclusive=topo", "--exclusive").nodesWanted().exclusiveTopo()).isNull();
        assertThat(words("--exclusive=topo", "-s").nodesWanted().exclusiveTopo()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --gres=gpu:a100:2,gpu:v100:1             |   | 3 |   |   | a100:2,v100:1
                    --gres=gpu:v100,gpu:a100:2,gpu:v100:3    |   | 5 |   |   | a100:2,v100:3
                    --gpus-per-node=a100:1,v100:1            |   | 2 |   |   | a100:1,v100:1
                    --gpus=volta:3,kepler:5                  | 8 |   |   |   | kepler:5,volta:3
                    --gpus-per-node=a100:1,v100:1 --gpus=8   |   | 2 |   | 4 | a100:1,v100:1
                    --gpus-per-node=a100:2,v100:0            |   | 2 |   |   |
                    --gpus-per-task=a100:1,v100:1 -n 3       |   |   | 2 |   | a100:1,v100:1
                    --gpus-per-task=v100:1,a100:2 --gpus=6   |   |   | 3 |   | a100:2,v100:1
                    --tres-per-task=gres/gpu:a100:1,gres/gpu:v100:2 -n1 |  |  | 3 |  | a100:1,v100:2
                    """)
    void gpus_of_several_types_are_so_many_of_each(
            String words,
            @Nullable Integer gpus,
            @Nullable Integer perNode,
            @Nullable Integer perTask,
            @Nullable Integer nodes,
            @Nullable String types)
            throws InvalidOption {
        JobSubmission job = words(words.split(" "));

        assertThat(job.gpus()).isEqualTo(gpus);
        assertThat(job.gpusPerNode()).isEqualTo(perNode);
        assertThat(job.gpusPerTask()).isEqualTo(perTask);
        assertThat(job.nodes()).isEqualTo(nodes);
        assertThat(job.gpuTypes()).isEqualTo(types);
        assertThat(job.gpuType()).isEqualTo(types == null ? "a100" : null);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"NONE | ''", "NIL | ''", "FOO=bar,HOME | FOO HOME", "ALL | HOME PATH"})
    void what_the_command_itself_gives_a_job_is_there_whatever_is_exported(
            String export, String others) throws InvalidOption {
        SubmittedFrom from =
                new SubmittedFrom(
                        null,
                        null,
                        null,
                        null,
                        null,
                        () -> NOW,
                        SubmittedFrom::none,
                        Map.of("BERTH_SESSION_URL", "ws://gateway"));

        JobSubmission job =
                Sbatch.request(
                                Sbatch.commandLine(List.of("--export=" + export)),
                                Map.of("HOME", "/home/alice", "PATH", "/bin"),
                                BatchScript.of(PLAIN),
                                List.of(),
                                from)
                        .submission();

        assertThat(job.environment())
                .containsEntry("BERTH_SESSION_URL", "ws://gateway")
                .containsOnlyKeys(
                        Stream.concat(
                                        Stream.of("BERTH_SESSION_URL"),
                                        others.isEmpty()
                                                ? Stream.of()
                                                : Arrays.stream(others.split(" ")))
                                .toList());
    }

    private static JobSubmission withFiles(Map<String, String> files, String... words)
            throws InvalidOption {
        SubmittedFrom from =
                new SubmittedFrom(
                        null,
                        null,
                        null,
                        null,
                        null,
                        () -> NOW,
                        name -> {
                            String text = files.get(name);
                            if (text == null) {
                                throw new NoSuchFileException(name);
                            }
                            return text;
                        },
                        Map.of());
        return Sbatch.request(
                        Sbatch.commandLine(List.of(words)),
                        Map.of("HOME", "/home/alice"),
                        BatchScript.of(PLAIN),
                        List.of(),
                        from)
                .submission();
    }

    @Test
    void a_file_may_list_nodes() throws InvalidOption {
        JobSubmission job = withFiles(Map.of("nodes", "n1\n# spare\nn[2-3],n1\n"), "-F", "nodes");

        assertThat(job.nodesWanted().nodeList()).isEqualTo("n[1-3]");
        assertThat(job.nodes()).isEqualTo(3);
    }

    @Test
    void a_file_may_hold_variables_which_the_environments_outrank() throws InvalidOption {
        var files = Map.of("env", "HOME=/tmp\0TEXT=two\nlines\0");

        assertThat(withFiles(files, "--export-file=env").environment())
                .isEqualTo(Map.of("HOME", "/home/alice", "TEXT", "two\nlines"));
    }

    @Test
    void a_file_that_is_not_there_is_named() {
        assertThatThrownBy(() -> withFiles(Map.of(), "--export-file=env"))
                .hasMessageContaining("Unable to open file env of --export-file");
    }

    @Test
    void what_each_task_has_may_be_asked_for_in_one_list() throws InvalidOption {
        assertThat(words("-n2", "--tres-per-task=cpu=4,gres/gpu:a100:2"))
                .isEqualTo(words("-n2", "-c4", "--gpus-per-task=a100:2"));
        assertThat(words("-n2", "--tres-per-task=gres/gpu"))
                .isEqualTo(words("-n2", "--gpus-per-task=1"));
        assertThat(refusal("-n2", "--tres-per-task=cpu"))
                .hasMessageContaining("Invalid numeric value");
        assertThat(refusal("-n2", "--tres-per-task=mem:4"))
                .hasMessage(
                        "--tres-per-task=mem:4 is not supported yet: cpu:COUNT and gres/gpu[:TYPE][:COUNT]");
    }

    @Test
    void the_layout_of_processors_may_be_asked_for_at_once_or_in_parts() throws InvalidOption {
        JobSubmission.Nodes brief = words("-B", "2:*:1").nodesWanted();
        JobSubmission.Nodes inFull =
                words("--sockets-per-node=2", "--threads-per-core=1").nodesWanted();

        assertThat(brief).isEqualTo(inFull);
        assertThat(brief.sockets()).isEqualTo(2);
        assertThat(brief.coresPerSocket()).isNull();
        assertThat(refusal("-B", "2:x")).hasMessageContaining("Invalid --extra-node-info");
    }

    @Test
    void gpus_of_each_socket_make_those_of_a_node() throws InvalidOption {
        JobSubmission job =
                words(
                        "--gpus-per-socket=a100:2",
                        "--sockets-per-node=2",
                        "--gpus=8",
                        "--ntasks-per-socket=1");

        assertThat(job.gpusPerNode()).isEqualTo(4);
        assertThat(job.gpuType()).isEqualTo("a100");
        assertThat(job.nodes()).isEqualTo(2);
        assertThat(job.nodesWanted().gpusPerSocket()).isEqualTo(2);
        assertThat(job.nodesWanted().tasksPerSocket()).isEqualTo(1);
        assertThat(
                        words(
                                        "--gpus-per-socket=2",
                                        "--sockets-per-node=2",
                                        "--ntasks=4",
                                        "--ntasks-per-socket=2")
                                .gpusPerNode())
                .isEqualTo(4);
        assertThat(refusal("--gpus-per-socket=2").print("sbatch").lines().findFirst().orElse(""))
                .isEqualTo(
                        "sbatch: error: --gpus-per-socket option requires --sockets-per-node specification");
        assertThat(refusal("--gpus-per-socket=2", "--sockets-per-node=2", "--gpus-per-node=2"))
                .hasMessage("Invalid generic resource (gres) specification");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --sockets-per-node=2                                    | 16 |   | kepler:10,volta:6
                    --sockets-per-node=2 --gpus=32                          | 16 | 2 | kepler:10,volta:6
                    --sockets-per-node=2 --gpus-per-node=16                 | 16 |   | kepler:10,volta:6
                    --sockets-per-node=2 --gres=gpu:volta:6,gpu:kepler:10   | 16 |   | kepler:10,volta:6
                    --sockets-per-node=1                                    |  8 |   | kepler:5,volta:3
                    """)
    void gpus_of_several_types_of_each_socket_make_those_of_a_node(
            String words, int perNode, @Nullable Integer nodes, String types) throws InvalidOption {
        JobSubmission job = words(("--gpus-per-socket=volta:3,kepler:5 " + words).split(" "));

        assertThat(job.nodesWanted().gpusPerSocket()).isEqualTo(8);
        assertThat(job.gpusPerNode()).isEqualTo(perNode);
        assertThat(job.nodes()).isEqualTo(nodes);
        assertThat(job.gpuTypes()).isEqualTo(types);
        assertThat(job.gpuType()).isNull();
    }

    @Test
    void a_script_says_how_long_its_job_may_wait() throws InvalidOption {
        assertThat(lines("#BERTH --max-wait=2:00:00").conditions().maxWaitSeconds())
                .isEqualTo(7200);
        assertThatThrownBy(() -> lines("#BERTH --max-wait=soon"))
                .hasMessageContaining("Invalid --max-wait specification");
    }

    @Test
    void nodes_side_by_side_their_cpus_and_their_disk_are_asked_for() throws InvalidOption {
        JobSubmission.Nodes asked = words("--contiguous", "--mincpus=8", "--tmp=10G").nodesWanted();

        assertThat(asked.contiguous()).isTrue();
        assertThat(asked.minCpusPerNode()).isEqualTo(8);
        assertThat(asked.tmpMib()).isEqualTo(10_240);
        assertThat(refusal("--tmp=lots")).hasMessageContaining("Invalid --tmp specification");
        assertThat(refusal("--mincpus=0"))
                .hasMessageContaining("Invalid numeric value \"0\" for --mincpus.");
    }

    @Test
    void the_most_of_a_range_is_asked_for_unless_the_least_is_preferred() throws InvalidOption {
        assertThat(words("-N2-4").nodesWanted().maxNodes()).isEqualTo(4);
        assertThat(words("-N2-4", "--use-min-nodes").nodesWanted().maxNodes()).isNull();
        assertThat(words("-N2-4", "-w", "n[1-4]").nodesWanted().maxNodes()).isNull();
    }

    @Test
    void listed_nodes_are_the_least_that_a_job_has() throws InvalidOption {
        assertThat(words("-w", "n[1-3]").nodes()).isEqualTo(3);
        assertThat(words("-w", "n1", "-N2").nodes()).isEqualTo(2);
    }

    @Test
    void a_priority_of_zero_is_a_hold() throws InvalidOption {
        assertThat(words("--priority=0").conditions().hold()).isTrue();
        assertThat(words("--priority=TOP").conditions().priority()).isEqualTo(4_294_967_294L);
    }

    @Test
    void the_first_operand_ends_the_options() throws InvalidOption {
        SbatchLine line = Sbatch.commandLine(List.of("-N2", "job.sh", "-x", "--foo"));

        assertThat(line.operands()).containsExactly("job.sh", "-x", "--foo");
    }

    @Test
    void what_options_leave_open_comes_from_the_submitter() throws InvalidOption {
        JobSubmission job = request(Map.of(), "-D", "runs").submission();

        assertThat(job.name()).isEqualTo("train.sh");
        assertThat(job.user()).isEqualTo("alice");
        assertThat(job.workingDirectory()).isEqualTo("/home/alice/runs");
        assertThat(job.submitHost()).isEqualTo("login1");
        assertThat(job.arguments()).containsExactly("a", "b");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ALL | A B SLURM_X SBATCH_EXPORT",
                "NONE | SLURM_X",
                "A | A SLURM_X",
                "A,C=1 | A C SLURM_X",
                "ALL,C=1 | A B C SLURM_X SBATCH_EXPORT"
            })
    void export_selects_what_the_job_inherits(String export, String names) throws InvalidOption {
        var environment = Map.of("A", "a", "B", "b", "SLURM_X", "x", "SBATCH_EXPORT", export);

        JobSubmission job = request(environment).submission();

        assertThat(job.environment()).containsOnlyKeys(names.split(" "));
    }

    @Test
    void a_quoted_comma_stays_in_its_assignment() throws InvalidOption {
        JobSubmission job = request(Map.of(), "--export=LIST='1,2',B=3").submission();

        assertThat(job.environment()).containsEntry("LIST", "1,2").containsEntry("B", "3");
    }

    @Test
    void what_concerns_the_command_itself_is_told_apart() throws InvalidOption {
        SbatchRequest request = request(Map.of("SBATCH_WAIT", "1"), "--parsable", "-Q");

        assertThat(request.parsable()).isTrue();
        assertThat(request.quiet()).isTrue();
        assertThat(request.waits()).isTrue();
    }
}
