package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.host.LiveProcess;
import io.berth.contracts.Allocation;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.IndexSet;
import io.berth.contracts.NodeName;
import io.berth.contracts.Step;
import io.berth.contracts.Steps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The command that scripts start steps with, as a process. A program starts the tasks, where one
/// was compiled, or shells do.
@ParameterizedClass
@EnumSource(Shims.Kind.class)
class SrunTest {

    /// What a step did.
    private record Result(int status, String output, String error) {}

    private static final Allocation WHOLE_HOST =
            new Allocation(
                    new NodeName("gpu1"),
                    0,
                    1,
                    IndexSet.firstN(Runtime.getRuntime().availableProcessors()),
                    64,
                    List.of("G0", "G1", "G2", "G3"));

    @Parameter private Shims.@Nullable Kind kind;
    @TempDir Path folder;
    private Path steps;

    @BeforeEach
    void install() throws Exception {
        Shims best = Shims.install(folder, new Commands());
        assumeThat(kind == Shims.Kind.SHELL || best.kind() == kind)
                .as("compiled programs")
                .isTrue();
        if (kind != best.kind()) {
            var unused = Shims.install(folder, new Commands(), Objects.requireNonNull(kind));
        }
        if (kind == Shims.Kind.PROGRAM) {
            int usage = 2; // Without the program shells would start the tasks, and nobody saw it.
            assertThat(new ProcessBuilder(folder + "/bin/srun-tasks").start().waitFor())
                    .isEqualTo(usage);
        }
        steps = Files.createDirectories(folder.resolve("steps"));
    }

    /// A script's process, in a job with four GPUs and more CPUs than there are. The signals are as
    /// the shim leaves them to a job, whatever these tests were started by.
    private Process start(String script) throws IOException {
        var builder =
                new ProcessBuilder("env", "--default-signal=HUP,INT,TERM", "sh", "-c", script)
                        .directory(folder.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", folder + "/bin:/usr/bin:/bin");
        builder.environment().put("BERTH_STEPS", steps.toString());
        builder.environment().put("SLURM_JOB_ID", "7");
        builder.environment().put("SLURM_JOB_NUM_NODES", "1");
        builder.environment().put("SLURM_NTASKS", "1");
        builder.environment().put("SLURM_CPUS_ON_NODE", "64");
        builder.environment().put("SLURMD_NODENAME", "gpu1");
        builder.environment().put("CUDA_VISIBLE_DEVICES", "G0,G1,G2,G3");
        builder.environment().put("BERTH_GPU_CPUS", "0;0;1;1");
        builder.redirectOutput(folder.resolve("stdout").toFile());
        builder.redirectError(folder.resolve("stderr").toFile());
        return builder.start();
    }

    private Result run(String script) throws Exception {
        int status = start(script).waitFor();
        return new Result(
                status,
                Files.readString(folder.resolve("stdout")),
                Files.readString(folder.resolve("stderr")));
    }

    private static List<String> sorted(String text) {
        return Arrays.stream(text.split("\n")).sorted().toList();
    }

    @Test
    void a_task_has_the_default_actions_whatever_its_script_ignores() throws Exception {
        Result result =
                run(
                        "trap '' HUP INT QUIT PIPE TERM USR1 USR2 TSTP; srun -n1 grep -E 'Sig(Blk|Ign)' /proc/self/status");

        assertThat(result.output().lines())
                // The last 31 bits are those of the signals that have names.
                .allMatch(it -> (Long.parseLong(it.substring(9), 16) & 0x7fffffffL) == 0)
                .hasSize(2);
    }

    @Test
    void a_step_is_one_task_with_all_that_the_job_holds() throws Exception {
        Result step =
                run(
                        "srun sh -c 'echo $SLURM_STEP_ID $SLURM_PROCID $SLURM_NTASKS $CUDA_VISIBLE_DEVICES'");

        assertThat(step).isEqualTo(new Result(0, "0 0 1 G0,G1,G2,G3\n", ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-n4 --gpus-per-task=1                 | 0: G0; 1: G1; 2: G2; 3: G3",
                "-n2 --gpus-per-task=a100:2            | 0: G0,G1; 1: G2,G3",
                "-n2 -G2                               | 0: G0,G1; 1: G0,G1",
                "-n2 --gres=gpu:a100:3                 | 0: G0,G1,G2; 1: G0,G1,G2",
                "-n2 --gres=none                       | 0: -; 1: -",
                "-n4 --gpu-bind=single:2               | 0: G0; 1: G0; 2: G1; 3: G1",
                "-n2 --gpu-bind=closest                | 0: G0,G1; 1: G2,G3",
                "-n1 -c2 --gpu-bind=closest            | 0: G0,G1,G2,G3",
                "-n2 -G3 --gpu-bind=closest            | 0: G0,G1; 1: G2",
                "-n2 --gpu-bind=map_gpu:3,1            | 0: G3; 1: G1",
                "-n2 --gpu-bind=mask_gpu:0x3,0xc       | 0: G0,G1; 1: G2,G3",
                "-n2 --gpu-bind=per_task:2             | 0: G0,G1; 1: G2,G3",
                "-n2 --gpus-per-task=1 --gpu-bind=none | 0: G0,G1; 1: G0,G1",
                "-G2 --ntasks-per-gpu=2                | 0: G0; 1: G0; 2: G1; 3: G1",
                "--gres=gpu:2 --ntasks-per-gpu=1       | 0: G0; 1: G1",
                "--ntasks-per-gpu=1                    | 0: G0; 1: G1; 2: G2; 3: G3",
                "-n3 --ntasks-per-gpu=2                | 0: G0; 1: G0; 2: G1",
                "-n2 --ntasks-per-gpu=1 --gpu-bind=none | 0: G0,G1; 1: G0,G1"
            })
    void tasks_see_the_gpus_that_the_binding_gives_them(String options, String expected)
            throws Exception {
        Result step = run("srun -l " + options + " sh -c 'echo ${CUDA_VISIBLE_DEVICES:--}'");

        assertThat(sorted(step.output())).containsExactly(expected.split("; "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-n2                   | 0: G0,G1; 1: G2,G3",
                "-n1                   | 0: G0,G1",
                "-n2 --gpus-per-task=1 | 0: G0; 1: G1",
                "-n2 -G4               | 0: G0,G1,G2,G3; 1: G0,G1,G2,G3",
                "-n2 --gres=none       | 0: -; 1: -"
            })
    void tasks_have_the_gpus_that_the_job_has_for_each_unless_the_step_says_otherwise(
            String options, String expected) throws Exception {
        Result step =
                run(
                        "export SLURM_GPUS_PER_TASK=a100:2; srun -l "
                                + options
                                + " sh -c 'echo ${CUDA_VISIBLE_DEVICES:--}'");

        assertThat(sorted(step.output())).containsExactly(expected.split("; "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-n2                                   | 0: G0,G1; 1: G3,G2",
                "-n1                                   | 0: G0,G1",
                "-n1 --gpus-per-task=v100:1,a100:2     | 0: G1,G0,G3",
                "-n2 --gpus-per-task=v100:1            | 0: G1; 1: G2",
                "-n2 --gpus-per-task=2                 | 0: G0,G1; 1: G2,G3",
                "-n1 -G v100:2                         | 0: G1,G2",
                "-n1 -G a100:1,v100:1                  | 0: G0,G1",
                "-n1 --gres=gpu:v100:1,gpu:a100:1,nic:7 | 0: G1,G0",
                "-n1 --gres=nic:1                      | 0: -"
            })
    void steps_have_gpus_of_the_types_that_they_name_and_tasks_those_of_the_job(
            String options, String expected) throws Exception {
        Result step =
                run(
                        "export SLURM_GPUS_PER_TASK=a100:1,v100:1"
                                + " BERTH_GPU_TYPES='a100=G0,G3;v100=G1,G2'; srun -l "
                                + options
                                + " sh -c 'echo ${CUDA_VISIBLE_DEVICES:--}'");

        assertThat(sorted(step.output())).containsExactly(expected.split("; "));
    }

    @Test
    void a_step_of_a_type_waits_for_one_that_holds_those_and_not_for_others() throws Exception {
        Result step =
                run(
                        "export BERTH_GPU_TYPES='a100=G0,G3;v100=G1,G2'; srun --exact -G a100:2 sh -c"
                                + " 'touch held; until [ -e go ]; do sleep 0.05; done' & until [ -e"
                                + " held ]; do sleep 0.05; done; srun --exact -G v100:2 sh -c 'echo"
                                + " $CUDA_VISIBLE_DEVICES'; touch go; srun --exact -G a100:1 sh -c 'echo"
                                + " $CUDA_VISIBLE_DEVICES'; wait; srun -G a100:3 true");

        assertThat(step.output()).isEqualTo("G1,G2\nG0\n");
        assertThat(step.error()).contains("the step needs 3 GPUs (a100:3), the job holds 4 here");
    }

    @Test
    void tasks_see_their_gpus_by_the_variables_that_tell_them_on_the_node() throws Exception {
        Result step =
                run(
                        "export BERTH_GPUS=G0,G1,G2,G3 BERTH_GPU_VARIABLES='CUDA_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES'"
                                + " CUDA_VISIBLE_DEVICES=G0,G1 ROCR_VISIBLE_DEVICES=G2,G3;"
                                + " srun -l -n2 --gpu-bind=map_gpu:3,1"
                                + " sh -c 'echo ${CUDA_VISIBLE_DEVICES:--} ${ROCR_VISIBLE_DEVICES:--} ${NVIDIA_VISIBLE_DEVICES-none}';"
                                + " unset CUDA_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES; BERTH_GPU_VARIABLES=;"
                                + " srun --gpus=5 true; srun -G1 sh -c 'echo ${CUDA_VISIBLE_DEVICES-none}'");

        assertThat(sorted(step.output())).containsExactly("0: - G3 none", "1: G1 - none", "none");
        assertThat(step.error()).contains("the step needs 5 GPUs, the job holds 4 here");
    }

    @Test
    void tasks_know_their_ranks_by_slurms_and_by_pytorchs_names() throws Exception {
        Result step =
                run(
                        "srun -n2 sh -c 'echo $SLURM_PROCID $SLURM_LOCALID $SLURM_NTASKS $SLURM_GTIDS"
                                + " $RANK $LOCAL_RANK $WORLD_SIZE'");

        assertThat(sorted(step.output())).containsExactly("0 0 2 0,1 0 0 2", "1 1 2 0,1 1 1 2");
    }

    @Test
    void tasks_meet_by_the_names_of_other_trainers_too() throws Exception {
        Result step =
                run(
                        "export MASTER_PORT=21007 BERTH_HOSTS=a,b DMLC_TASK_ID=mine; srun -n2 sh -c"
                                + " 'echo $TF_CONFIG; echo $PADDLE_TRAINER_ID $PADDLE_TRAINERS_NUM"
                                + " $PADDLE_TRAINER_ENDPOINTS $PADDLE_CURRENT_ENDPOINT $DMLC_TRACKER_PORT $DMLC_TASK_ID'");

        assertThat(sorted(step.output()))
                .containsExactly(
                        "0 2 a:21007,b:21008 a:21007 21007 mine",
                        "1 2 a:21007,b:21008 b:21008 21007 mine",
                        "{\"cluster\":{\"worker\":[\"a:21007\",\"b:21008\"]},\"task\":{\"type\":\"worker\",\"index\":0}}",
                        "{\"cluster\":{\"worker\":[\"a:21007\",\"b:21008\"]},\"task\":{\"type\":\"worker\",\"index\":1}}");
        assertThat(run("srun sh -c 'echo [$TF_CONFIG]'").output()).isEqualTo("[]\n");
    }

    @Test
    void workers_of_xgboost_find_their_tracker_and_their_numbers() throws Exception {
        String say =
                "echo $DMLC_TASK_ID of $DMLC_NUM_WORKER at $DMLC_TRACKER_URI:$DMLC_TRACKER_PORT";

        Result named =
                run("export MASTER_ADDR=a MASTER_PORT=21007; srun -n2 sh -c '%s'".formatted(say));
        Result bare = run("srun -n2 sh -c '%s'".formatted(say));
        Result own =
                run(
                        "export DMLC_TRACKER_URI=b DMLC_TRACKER_PORT=9 DMLC_NUM_WORKER=5; srun -n2 sh -c '%s'"
                                .formatted(say));
        Result alone = run("srun -n1 sh -c '%s'".formatted(say));

        assertThat(sorted(named.output()))
                .containsExactly("0 of 2 at a:21007", "1 of 2 at a:21007");
        assertThat(sorted(bare.output()))
                .containsExactly("0 of 2 at 127.0.0.1:20000", "1 of 2 at 127.0.0.1:20000");
        assertThat(sorted(own.output())).containsExactly("0 of 5 at b:9", "1 of 5 at b:9");
        assertThat(alone.output()).isEqualTo("of at :\n");
    }

    @Test
    void tensorflow_is_told_of_the_roles_that_the_script_gives() throws Exception {
        String cluster = "{\"cluster\":{\"ps\":[\"a:21007\"],\"chief\":[\"a:21008\"]},\"task\":";

        Result step =
                run(
                        "export MASTER_PORT=21007 BERTH_HOSTS=a,a,b BERTH_TF_ROLES=ps:1,chief:1,evaluator:1;"
                                + " srun -n3 sh -c 'echo $SLURM_PROCID $TF_CONFIG'");

        assertThat(sorted(step.output()))
                .containsExactly(
                        "0 " + cluster + "{\"type\":\"ps\",\"index\":0}}",
                        "1 " + cluster + "{\"type\":\"chief\",\"index\":0}}",
                        "2 " + cluster + "{\"type\":\"evaluator\",\"index\":0}}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"worker:1", "worker:3", "worker", "master:2", "ps:1,ps:1", "ps:0,worker:2"})
    void roles_that_are_not_those_of_the_tasks_are_refused(String roles) throws Exception {
        assertThat(run("BERTH_TF_ROLES=" + roles + " srun -n2 true"))
                .isEqualTo(
                        new Result(
                                1,
                                "",
                                "srun: error: BERTH_TF_ROLES is TYPE:COUNT,... of chief, worker, ps and evaluator, of 2 tasks together, not '%s'\n"
                                        .formatted(roles)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-n2 --cpu-bind=cores       | 0; 1",
                "-n2 --cpu-bind=threads     | 0; 1",
                "-n1 -c2 --cpu-bind=threads | all",
                "-n2 --cpu-bind=rank        | 0; 1",
                "-n2 --cpu-bind=map_cpu:1,0 | 0; 1",
                "-n1 --cpu-bind=mask_cpu:2  | 1",
                "-n1 --cpu-bind=ldoms       | all",
                "-n1 --cpu-bind=sockets     | all",
                "-n1 --cpu-bind=rank_ldom   | all",
                "-n1 --cpu-bind=map_ldom:0  | all",
                "-n1 --cpu-bind=mask_ldom:1 | all",
                "-n1 --cpu-bind=none        | all"
            })
    void tasks_are_bound_to_cpus(String options, String expected) throws Exception {
        assumeThat(WHOLE_HOST.cpus().size()).isEqualTo(2);
        assumeThat(Path.of("/sys/devices/system/node/node1")).doesNotExist();

        Result step =
                run(
                        "srun "
                                + options
                                + " sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status");

        assertThat(sorted(step.output()))
                .containsExactly(expected.replace("all", "0-1").split("; "));
    }

    /// Each CPU is a socket and a NUMA node of its own.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-n2 --cpu-bind=sockets             | 0: 0; 1: 1",
                "-n1 -c2 --cpu-bind=sockets         | 0: 0-1",
                "-n2 --cpu-bind=ldoms               | 0: 0; 1: 1",
                "-n3 --cpu-bind=rank_ldom           | 0: 0; 1: 1; 2: 0",
                "-n2 --cpu-bind=map_ldom:3,0        | 0: 1; 1: 0",
                "-n2 --cpu-bind=map_ldom:2          | 0: 0-1; 1: 0-1",
                "-n2 --cpu-bind=mask_ldom:0x8,0x9   | 0: 1; 1: 0-1",
                "-n2 --cpu-bind=map_cpu:1,0         | 0: 1; 1: 0",
                "-n2 --cpu-bind=mask_cpu:0x3,0x2    | 0: 0-1; 1: 1"
            })
    void tasks_are_bound_to_the_cpus_of_sockets_and_numa_nodes(String options, String expected)
            throws Exception {
        assumeThat(WHOLE_HOST.cpus()).isEqualTo(IndexSet.parse("0-1"));
        for (int cpu = 0; cpu < 2; cpu++) {
            Path place = Files.createDirectories(folder.resolve("machine/cpu" + cpu + "/topology"));
            Files.writeString(place.resolve("package_cpus_list"), cpu + "\n");
            // There may be gaps between the numbers of NUMA nodes.
            Path node = Files.createDirectories(folder.resolve("machine/node" + 3 * cpu));
            Files.writeString(node.resolve("cpulist"), cpu + "\n");
        }

        Result step =
                run(
                        "BERTH_CPU_TOPOLOGY=machine srun -l "
                                + options
                                + " sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status");

        assertThat(sorted(step.output())).as(step.error()).containsExactly(expected.split("; "));
    }

    @Test
    void the_threads_of_a_core_are_the_kernels_word() throws Exception {
        Result all =
                run(
                        "srun --threads-per-core=64 -c%d sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status"
                                .formatted(WHOLE_HOST.cpus().size()));

        assertThat(all).isEqualTo(new Result(0, WHOLE_HOST.cpus() + "\n", ""));
    }

    @Test
    void tasks_have_as_many_threads_of_a_core_as_is_said() throws Exception {
        List<Integer> cpus = WHOLE_HOST.cpus().toBitSet().stream().boxed().toList();
        assumeThat(cpus).hasSizeGreaterThan(1);
        String first = Integer.toString(cpus.getFirst());
        for (int cpu : cpus) {
            Path place = Files.createDirectories(folder.resolve("machine/cpu" + cpu + "/topology"));
            Files.writeString(place.resolve("thread_siblings_list"), "all\n");
        }
        String step =
                "BERTH_CPU_TOPOLOGY=machine srun %s sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status";

        assertThat(run(step.formatted("--hint=nomultithread")))
                .isEqualTo(new Result(0, first + "\n", ""));
        assertThat(run(step.formatted("-n2 --threads-per-core=2")).status()).isZero();
        assertThat(run("export SLURM_HINT=nomultithread; " + step.formatted("")))
                .isEqualTo(new Result(0, first + "\n", ""));
        assertThat(
                        run("export SLURM_HINT=nomultithread; "
                                        + step.formatted("-n2 --hint=multithread"))
                                .status())
                .isZero();
        Result many = run(step.formatted("-n2 --hint=compute_bound"));

        assertThat(many.status()).isEqualTo(1);
        assertThat(many.error())
                .isEqualTo(
                        "srun: error: the step needs 2 CPUs with 1 of a core's threads, the job holds 1 here\n");
    }

    @Test
    void more_tasks_than_cpus_share_them_where_that_is_asked() throws Exception {
        String job = "export SLURM_CPUS_ON_NODE=1; ";

        Result step = run(job + "srun -O -n3 --overcommit echo hi");

        assertThat(step).isEqualTo(new Result(0, "hi\nhi\nhi\n", ""));
        assertThat(run(job + "SLURM_OVERCOMMIT=1 srun -n3 echo hi")).isEqualTo(step);
        assertThat(run(job + "SLURM_OVERCOMMIT=1 SLURM_NTASKS=3 srun echo hi"))
                .as("the tasks of sbatch -O -n3")
                .isEqualTo(step);
    }

    /// The job's CPUs of a task are no more than what a step may make of them.
    @Test
    void a_step_may_have_a_task_on_each_cpu_of_the_job() throws Exception {
        assertThat(run("SLURM_CPUS_ON_NODE=4 SLURM_CPUS_PER_TASK=4 srun -n4 echo hi"))
                .isEqualTo(new Result(0, "hi\n".repeat(4), ""));
    }

    @Test
    void the_kinds_of_mpi_are_listed() throws Exception {
        assertThat(run("srun --mpi=list"))
                .isEqualTo(new Result(0, "MPI plugin types are...\n\tnone\n", ""));
    }

    @Test
    void a_steps_status_is_the_highest_of_its_tasks() throws Exception {
        Result step = run("srun -n3 sh -c 'exit $((SLURM_PROCID * 3))'");

        assertThat(step.status()).isEqualTo(6);
        assertThat(step.error())
                .isEqualTo(
                        "srun: error: gpu1: task 1: Exited with exit code 3\n"
                                + "srun: error: gpu1: task 2: Exited with exit code 6\n");
    }

    @Test
    void tasks_that_end_alike_are_told_in_one_line() throws Exception {
        Result step =
                run(
                        "srun -n8 sh -c 'case $SLURM_PROCID in [0-2]) exit 3 ;; 4) kill -s KILL $$ ;; [57]) kill -s SEGV $$ ;; esac'");

        assertThat(step.status()).isEqualTo(139);
        assertThat(step.error().lines().filter(it -> it.startsWith("srun: ")))
                .map(it -> it.replace(" (core dumped)", ""))
                .containsExactly(
                        "srun: error: gpu1: tasks 0-2: Exited with exit code 3",
                        "srun: error: gpu1: task 4: Killed",
                        "srun: error: gpu1: tasks 5,7: Segmentation fault");
    }

    @Test
    void a_status_like_that_of_a_signal_is_none() throws Exception {
        assumeThat(kind).isEqualTo(Shims.Kind.PROGRAM);

        assertThat(run("srun sh -c 'exit 143'").error())
                .isEqualTo("srun: error: gpu1: task 0: Exited with exit code 143\n");
    }

    @Test
    void a_task_that_fails_takes_the_others_along_where_that_is_asked() throws Exception {
        Result step = run("srun -n2 -K sh -c '[ $SLURM_PROCID = 0 ] || exit 5; exec sleep 60'");

        assertThat(step.status()).isEqualTo(143);
    }

    @Test
    void exact_steps_run_beside_one_another_on_gpus_of_their_own() throws Exception {
        assumeThat(Runtime.getRuntime().availableProcessors()).isGreaterThan(1);
        String meets = "touch $0; until [ -e $1 ]; do sleep 0.02; done; echo $CUDA_VISIBLE_DEVICES";

        Result both =
                run(
                        "srun -n1 --exact -G2 sh -c '%s' a b & srun -n1 --exact -G2 sh -c '%s' b a; wait"
                                .formatted(meets, meets));

        assertThat(sorted(both.output())).containsExactly("G0,G1", "G2,G3");
    }

    @Test
    void a_step_waits_for_what_another_holds_and_says_so() throws Exception {
        Process waiting =
                start(
                        "srun sh -c 'echo first; until [ -e go ]; do sleep 0.02; done' &"
                                + " until [ -e steps/step.0 ]; do sleep 0.02; done;"
                                + " srun --exact -G1 echo second; wait");
        await().until(() -> Files.size(folder.resolve("stderr")) > 0);
        String before = Files.readString(folder.resolve("stdout"));

        Files.createFile(folder.resolve("go"));

        assertThat(waiting.waitFor()).isZero();
        assertThat(before).isEqualTo("first\n");
        assertThat(folder.resolve("stdout")).hasContent("first\nsecond\n");
        assertThat(folder.resolve("stderr"))
                .hasContent(
                        "srun: Job 7 step creation temporarily disabled, retrying (Requested"
                                + " resources are busy)\n");
    }

    @Test
    void a_step_that_is_killed_as_it_waits_holds_nothing_back() throws Exception {
        Process script =
                start(
                        "srun sh -c 'until [ -e go ]; do sleep 0.02; done' &"
                                + " until [ -e steps/step.0 ]; do sleep 0.02; done;"
                                + " srun --exact -G1 touch never & echo $! >waiting; wait;"
                                + " srun sh -c 'echo $SLURM_STEP_ID $CUDA_VISIBLE_DEVICES'");
        await().until(() -> Files.size(folder.resolve("stderr")) > 0);
        String waiting = Files.readString(folder.resolve("waiting")).strip();

        ProcessHandle.of(Long.parseLong(waiting)).orElseThrow().destroyForcibly();
        Files.createFile(folder.resolve("go"));

        assertThat(script.waitFor()).isZero();
        assertThat(folder.resolve("stdout")).hasContent("1 G0,G1,G2,G3\n");
        assertThat(folder.resolve("never")).doesNotExist();
        try (Stream<Path> left = Files.list(steps)) {
            assertThat(left.map(it -> it.getFileName().toString()))
                    .containsExactlyInAnyOrder("lock", "log", "next");
        }
    }

    @Test
    void an_overlapping_step_waits_for_nobody() throws Exception {
        Result both =
                run(
                        "srun sh -c 'until [ -e seen ]; do sleep 0.02; done' &"
                                + " until [ -e steps/step.0 ]; do sleep 0.02; done;"
                                + " srun --overlap touch seen; wait");

        assertThat(both.error()).isEmpty();
    }

    @Test
    void a_step_whose_srun_was_killed_holds_nothing_any_more() throws Exception {
        Result next =
                run(
                        "srun sh -c 'echo $$ >task; exec sleep 60' & until [ -s task ]; do sleep 0.02; done;"
                                + " kill -9 $!; srun echo next; kill $(cat task);"
                                + " while kill -0 $(cat task) 2>/dev/null; do sleep 0.02; done");

        assertThat(next.output()).isEqualTo("next\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"USR1", "INT"})
    void a_signal_reaches_the_tasks(String signal) throws Exception {
        Process step =
                start(
                        "exec srun -n2 sh -c 'trap \"exit 9\" "
                                + signal
                                + "; touch up.$SLURM_PROCID; while :; do sleep 0.02; done'");
        await().until(() ->
                Files.exists(folder.resolve("up.0")) && Files.exists(folder.resolve("up.1")));

        new ProcessBuilder("kill", "-" + signal, Long.toString(step.pid())).start().waitFor();

        assertThat(step.waitFor()).isEqualTo(9);
    }

    /// What srun waits for may have ended when it sees that the signal has ended its wait.
    @Test
    void a_step_that_takes_a_signal_well_has_done_well() throws Exception {
        Process step =
                start(
                        "exec srun sh -c 'trap \"exit 0\" USR1; echo $$ >task; touch up;"
                                + " while :; do sleep 0.02; done'");
        await().until(() -> Files.exists(folder.resolve("up")));
        String srun = Long.toString(step.pid());
        String task = Files.readString(folder.resolve("task")).strip();

        new ProcessBuilder("kill", "-STOP", srun).start().waitFor();
        new ProcessBuilder("kill", "-USR1", srun, task).start().waitFor();
        await().until(() -> Files.notExists(Path.of("/proc", task)));
        new ProcessBuilder("kill", "-CONT", srun).start().waitFor();

        assertThat(step.waitFor()).isZero();
    }

    @Test
    void tasks_wait_for_those_who_write_what_they_read_each_for_its_own() throws Exception {
        Result step =
                run(
                        "mkfifo in.0 in.1; srun -n2 -i in.%t cat & echo one >in.1; echo zero >in.0; wait");

        assertThat(sorted(step.output())).containsExactly("one", "zero");
    }

    @Test
    void a_step_of_which_the_tasks_cannot_be_told_does_not_start_some_of_them() throws Exception {
        Result step = run("trap '' XFSZ; ulimit -f 1; srun -n64 sh -c 'echo ran' | sort | uniq -c");

        assertThat(step.output().strip()).isIn("", "64 ran");
    }

    @Test
    void labels_leave_the_place_at_which_a_script_writes_next() throws Exception {
        Result step = run("srun -l echo x; grep flags /proc/self/fdinfo/1");

        int append = 02000;
        assertThat(
                        Integer.parseInt(
                                        step.output().replaceAll("(?s).*flags:\\s*", "").strip(), 8)
                                & append)
                .isZero();
    }

    @Test
    void output_goes_to_files_by_task_and_step() throws Exception {
        run("srun true; srun -n2 -o out.%j.%s.%t -e err.%t sh -c 'echo $SLURM_PROCID; echo e >&2'");

        assertThat(folder.resolve("out.7.1.0")).hasContent("0\n");
        assertThat(folder.resolve("out.7.1.1")).hasContent("1\n");
        assertThat(folder.resolve("err.1")).hasContent("e\n");
    }

    /// The second is the name of the file of task 1.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "out_%x_%03t      | out_train_001",
                "%A_%a.%u-%4t     | 5_12.alice-0001",
                "%2j-%2s-%2n-%J%t | 07-00-00-7.01",
                "%4J.%05N%t       | 0007.0.gpu11",
                "%12t%003t%008t   | 000000000100100000001",
                "100%%t.%t        | 100%t.1",
                "50%-%q%%%3q%t%   | 50%-%q%%3q1%",
                "%t%12            | 1%12",
                "a b*$x;%t        | a b*$x;1",
            })
    void a_name_is_filled_in_as_that_of_a_script(String pattern, String name) throws Exception {
        Files.writeString(folder.resolve("pattern"), pattern);

        Result step =
                run(
                        """
                        export SLURM_JOB_NAME=train SLURM_JOB_USER=alice SLURM_ARRAY_JOB_ID=5 SLURM_ARRAY_TASK_ID=12
                        SLURMD_NODENAME=gpu1.example.org srun -n2 -o "$(cat pattern)" sh -c 'echo $SLURM_PROCID'
                        """);

        assertThat(step).isEqualTo(new Result(0, "", ""));
        assertThat(folder.resolve(name)).hasContent("1\n");
    }

    @Test
    void a_backslash_in_a_name_turns_all_of_it_off_and_is_dropped() throws Exception {
        Files.writeString(folder.resolve("programs"), "* echo %t\\n\n");

        Result step = run("srun -n2 -o 'a\\nb\\\\0\\$%t' --multi-prog programs");

        assertThat(step).isEqualTo(new Result(0, "", ""));
        assertThat(sorted(Files.readString(folder.resolve("anb0$%t"))))
                .containsExactly("0\\n", "1\\n");
    }

    @Test
    void the_first_task_reads_what_srun_is_given_and_arguments_arrive_as_they_are()
            throws Exception {
        Result step =
                run("echo text | srun -n1 sh -c 'cat; printf \"[%s]\" \"$@\"' - 'a b' '*' ''");

        assertThat(step.output()).isEqualTo("text\n[a b][*][]");
    }

    @Test
    void what_has_no_end_of_line_is_labelled_and_left_as_it_is() throws Exception {
        Result step = run("srun -l -n1 sh -c 'printf \"a\\n\\nb\"; printf c >&2'");

        assertThat(step).isEqualTo(new Result(0, "0: a\n0: \n0: b", "0: c"));
    }

    @Test
    void each_task_reads_and_writes_the_files_of_its_number() throws Exception {
        Files.writeString(folder.resolve("in 0%"), "zero");
        Files.writeString(folder.resolve("in 1%"), "one");
        Files.writeString(folder.resolve("out.7.0-1"), "old");

        Result step = run("srun -n2 -i 'in %t%' -o out.%J-%t sh -c 'cat; echo e >&2; cat no'");

        assertThat(step.status()).isEqualTo(1);
        assertThat(folder.resolve("out.7.0-0")).content().startsWith("zeroe\ncat: ");
        assertThat(folder.resolve("out.7.0-1")).content().startsWith("onee\ncat: ");
    }

    @Test
    void a_task_whose_input_is_not_there_fails_alone() throws Exception {
        Files.createFile(folder.resolve("in.1"));

        Result step = run("srun -n2 -i in.%t sh -c 'echo ran $SLURM_PROCID'");

        assertThat(step.status()).isEqualTo(1);
        assertThat(step.output()).isEqualTo("ran 1\n");
        assertThat(step.error())
                .contains("in.0")
                .endsWith("srun: error: gpu1: task 0: Exited with exit code 1\n");
    }

    @ParameterizedTest
    @CsvSource({"/etc/passwd, 126", "not-there, 127"})
    void what_cannot_be_run_is_said_and_has_the_status_that_shells_give_it(
            String program, int status) throws Exception {
        Result step = run("srun " + program);

        assertThat(step.status()).isEqualTo(status);
        assertThat(step.error())
                .contains(program)
                .endsWith("srun: error: gpu1: task 0: Exited with exit code " + status + "\n");
    }

    @Test
    void a_binding_to_cpus_that_are_not_there_fails_the_task() throws Exception {
        Result step = run("srun --cpu-bind=map_cpu:9999 echo ran");

        assertThat(step.status()).isEqualTo(1);
        assertThat(step.output()).isEmpty();
    }

    @Test
    void a_part_of_a_step_knows_its_place_in_the_whole() throws Exception {
        Result part =
                run(
                        "BERTH_PART='3 1 4,5 11 3 gpu[1-3] 4,2,5' srun -l -G7 -o out.%t.%n sh -c 'echo $SLURM_STEP_ID"
                                + " $SLURM_NODEID $SLURM_LOCALID $SLURM_PROCID $SLURM_GTIDS $SLURM_NTASKS"
                                + " $SLURM_NNODES $SLURM_STEP_NODELIST $SLURM_STEP_TASKS_PER_NODE $RANK"
                                + " $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $CUDA_VISIBLE_DEVICES ${BERTH_PART-none}'");

        assertThat(part.error()).isEmpty();
        assertThat(folder.resolve("out.4.1"))
                .hasContent(" 4: 3 1 0 4 4,5 11 3 gpu[1-3] 4,2,5 4 0 11 2 G0,G1 none\n");
        assertThat(folder.resolve("out.5.1"))
                .hasContent(" 5: 3 1 1 5 4,5 11 3 gpu[1-3] 4,2,5 5 1 11 2 G0,G1 none\n");
    }

    @Test
    void a_file_tells_each_task_its_program() throws Exception {
        Files.writeString(
                folder.resolve("programs"),
                """
                # the two that lead, and what follows them
                0,3  sh -c 'printf "[%s]" %t "$@"; echo' - %t "a  b" \\
                     %o
                *    echo other%o ''
                """);

        Result step = run("srun -n4 -l --multi-prog programs more");

        assertThat(step.error()).isEmpty();
        assertThat(sorted(step.output()))
                .containsExactly(
                        "0: [%t][0][a  b][0][more]",
                        "1: other1  more", "2: other2  more", "3: [%t][3][a  b][1][more]");
    }

    @Test
    void a_task_that_the_file_forgets_fails_and_says_so() throws Exception {
        Files.writeString(folder.resolve("programs"), "0 true\n");

        Result step = run("BERTH_PART='4 0 0,1 2 1 gpu1 2' srun --multi-prog programs");

        assertThat(step.status()).isEqualTo(1);
        assertThat(step.error())
                .startsWith(
                        "srun: error: task 1 has no program in the configuration of --multi-prog\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0,2-3 touch ran | -n4 | Configuration file programs invalid, no record for task id 1",
                "0 touch ran | --ntasks-per-node=2 | Configuration file programs invalid, no record for task id 1",
                "x touch ran | | Line 1 of configuration file programs invalid: ranks such as 0-3,7 or *, a program and its arguments",
                "# a remark;0-1, touch ran | | Line 2 of configuration file programs invalid: ranks such as 0-3,7 or *, a program and its arguments",
                "0 touch ran;* | -n2 | Line 2 of configuration file programs invalid: ranks such as 0-3,7 or *, a program and its arguments"
            })
    void no_task_begins_by_a_wrong_list_of_programs(
            String lines, @Nullable String options, String message) throws Exception {
        Files.writeString(folder.resolve("programs"), lines.replace(';', '\n') + "\n");

        Result step =
                run("srun %s --multi-prog programs".formatted(options == null ? "" : options));

        assertThat(step).isEqualTo(new Result(1, "", "srun: error: " + message + "\n"));
        assertThat(folder.resolve("ran")).doesNotExist();
    }

    @Test
    void variables_are_given_to_the_tasks_of_a_step_alone() throws Exception {
        Result step =
                run(
                        "srun --export=ALL,A=1,B='x y' sh -c 'echo $A $B $SLURM_JOB_ID'; echo ${A-none}");

        assertThat(step.output()).isEqualTo("1 x y 7\nnone\n");
    }

    @Test
    void so_many_tasks_of_each_gpu_are_the_steps_own_word() throws Exception {
        Result step =
                run(
                        "export SLURM_GPU_BIND=none SLURM_GPUS_PER_TASK=2; srun -G2 --ntasks-per-gpu=1 -l sh -c 'echo $CUDA_VISIBLE_DEVICES $SLURM_NTASKS_PER_GPU $SLURM_NTASKS'");

        assertThat(sorted(step.output())).containsExactly("0: G0 1 2", "1: G1 1 2");
        assertThat(run("srun -n2 --gpus-per-task=1 --ntasks-per-gpu=1 true").error())
                .isEqualTo(
                        "srun: error: --gpus-per-task is mutually exclusive with --ntasks-per-gpu and SLURM_NTASKS_PER_GPU\n");
    }

    @Test
    void a_step_that_is_only_tested_leaves_all_as_it_is() throws Exception {
        Result step =
                run(
                        "echo old >out; srun --test-only -n2 -o out --bcast=copy touch seen;"
                                + " echo $?; srun --test-only -n65 true; echo $?; srun sh -c 'echo $SLURM_STEP_ID'; for each in copy seen out; do [ ! -e $each ] || echo $each; done");

        assertThat(step)
                .isEqualTo(
                        new Result(
                                0,
                                "0\n1\n0\nout\n",
                                "srun: error: Unable to create step for job 7: More processors requested than permitted (65, the job holds 64 here; with -O tasks share them)\n"));
        assertThat(folder.resolve("out")).hasContent("old");
    }

    @Test
    void what_starts_the_daemons_of_mpi_is_one_task_with_all_that_waits_for_nobody()
            throws Exception {
        Result both =
                run(
                        "export SLURM_NTASKS=4 SLURM_GPUS_PER_TASK=1 SLURM_GPU_BIND=single:1;"
                                + " srun -n1 timeout 20 sh -c 'until [ -e seen ]; do sleep 0.02; done' &"
                                + " until [ -e steps/step.0 ]; do sleep 0.02; done;"
                                + " srun --external-launcher --cpu-bind=none -l sh -c 'touch seen; echo $CUDA_VISIBLE_DEVICES'; wait");

        assertThat(both).isEqualTo(new Result(0, "0: G0,G1,G2,G3\n", ""));
    }

    /// What the job was submitted with (`#SBATCH --gpu-bind`), its steps find in the environment.
    @Test
    void a_binding_of_the_job_is_that_of_its_steps_unless_they_say_otherwise() throws Exception {
        String show = " -l sh -c 'echo ${CUDA_VISIBLE_DEVICES:--}'; ";
        Result steps =
                run(
                        "export SLURM_GPU_BIND=verbose,single:1; srun -n2"
                                + show
                                + "srun --gpu-bind=map_gpu:3"
                                + show);

        assertThat(sorted(steps.output())).containsExactly("0: G0", "0: G3", "1: G1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NONE      | - - 7",
                "A         | a - 7",
                "B=x,NONE  | - x 7",
                "A,B=x     | a x 7",
                "ALL       | a b 7"
            })
    void a_list_of_variables_is_all_that_tasks_have_beside_slurms(String export, String expected)
            throws Exception {
        Result step =
                run(
                        "export A=a B=b CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=25 NVIDIA_IMEX_CHANNELS=3; srun --export="
                                + export
                                + " sh -c 'echo ${A:--} ${B:--} $SLURM_JOB_ID"
                                + " $CUDA_MPS_ACTIVE_THREAD_PERCENTAGE $NVIDIA_IMEX_CHANNELS'");

        assertThat(step).isEqualTo(new Result(0, expected + " 25 3\n", ""));
    }

    @Test
    void a_step_ends_when_its_time_is_over() throws Exception {
        Result step = run("srun -t 0:1 sleep 3601; srun -t 59:59 true");

        assertThat(step.status()).isZero();
        assertThat(step.error())
                .matches(
                        "(?s).*srun: error: \\*\\*\\* STEP 7\\.0 ON gpu1 CANCELLED AT \\S+ DUE TO TIME LIMIT \\*\\*\\*\n.*")
                .contains("task 0: ");
        // Another run of the tests may have such processes, too.
        var left =
                new ProcessBuilder(
                        "sh",
                        "-c",
                        "for p in $(pgrep -f '^sleep (3601|3599)$'); do grep -qzFx \"BERTH_STEPS=$0\" /proc/$p/environ && exit; done; exit 1",
                        steps.toString());
        await().untilAsserted(() -> assertThat(left.start().waitFor()).isEqualTo(1));
    }

    @Test
    void tasks_that_do_not_heed_the_end_of_the_steps_time_are_killed() throws Exception {
        Result step =
                run(
                        "BERTH_KILL_WAIT=1 srun -t 0:1 -n2 -l sh -c"
                                + " 'trap \"\" TERM; sleep 3602; sleep 3602; sleep 3602'; echo $?; srun echo next");

        assertThat(step.output()).matches("[1-9]\\d*\nnext\n");
        var left = new ProcessBuilder("pgrep", "-f", "sleep 3602$");
        await().untilAsserted(() -> assertThat(left.start().waitFor()).isEqualTo(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0:00", "-1", "infinite", "UNLIMITED"})
    void a_step_may_have_no_limit_of_its_own(String limit) throws Exception {
        Result step = run("srun -t 0:1 --time=" + limit + " sh -c 'sleep 0.2; echo over'");

        assertThat(step).isEqualTo(new Result(0, "over\n", ""));
    }

    @Test
    void a_value_that_may_be_left_out_is_no_other_word() throws Exception {
        Result step =
                run("srun --nice echo 1; srun --nice=5 -K --no-kill=off echo 2; srun -k echo 3");

        assertThat(step)
                .isEqualTo(
                        new Result(
                                0,
                                "1\n2\n3\n",
                                """
                                srun: --nice has no effect inside an allocation
                                srun: --nice has no effect inside an allocation
                                srun: -k has no effect inside an allocation
                                """));
    }

    @Test
    void options_may_have_the_names_that_older_scripts_use() throws Exception {
        Result step =
                run("srun -l --tasks-per-node=2 --cpu_bind=none --mem_bind=none sh -c 'echo hi'");

        assertThat(sorted(step.output())).containsExactly("0: hi", "1: hi");
        assertThat(step.error()).isEmpty();
    }

    @Test
    void a_file_that_is_appended_to_keeps_what_it_held() throws Exception {
        Result steps =
                run(
                        "srun -o log echo 1; srun --open-mode=append -o log echo 2; cat log;"
                                + " srun --open-mode=truncate -o log echo 3; cat log;"
                                + " srun --open-mode=x true");

        assertThat(steps.output()).isEqualTo("1\n2\n3\n");
        assertThat(steps.error()).isEqualTo("srun: error: Invalid --open-mode specification: x\n");
    }

    @Test
    void what_has_no_effect_in_a_step_is_said() throws Exception {
        Result step =
                run(
                        "srun -p gpu -C a100 -I --propagate --contiguous -W0 -W 30 --hint=nomultithread --hint=multithread --mem-bind=quiet,none"
                                + " --jobid=7 --mpi=none echo hi");

        assertThat(step)
                .isEqualTo(
                        new Result(
                                0,
                                "hi\n",
                                """
                                srun: -p has no effect inside an allocation
                                srun: -C has no effect inside an allocation
                                srun: -I has no effect inside an allocation
                                srun: --propagate has no effect inside an allocation
                                srun: --contiguous has no effect inside an allocation
                                srun: -W has no effect inside an allocation
                                """));
    }

    /// No agent answers here.
    @Test
    void memory_that_is_not_bound_is_told() throws Exception {
        String warning =
                "srun: warning: gpu1: nothing limits the step's memory: it has no group of its own\n";

        assertThat(run("srun --mem-bind=verbose,local echo hi"))
                .isEqualTo(new Result(0, "hi\n", warning));
        assertThat(run("export SLURM_MEM_BIND=local; srun echo hi; srun --mem-bind=none echo ho"))
                .isEqualTo(new Result(0, "hi\nho\n", warning));
    }

    @Test
    void steps_are_noted_for_the_books() throws Exception {
        run(
                "srun -n2 --exact -c1 -G3 sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; exit 4';"
                        + " srun -J 'a\nb' true; srun sh -c 'kill -9 $PPID'");

        // The program that starts all tasks was killed, or the shell of one.
        var startersEnd = kind == Shims.Kind.PROGRAM ? new ExitStatus(0, 9) : new ExitStatus(1, 0);
        Steps noted = Objects.requireNonNull(StepLog.read(RunFiles.at(folder), "bin", WHOLE_HOST));

        assertThat(noted.more()).isZero();
        assertThat(noted.each())
                .extracting(Step::name, Step::tasks, Step::gpus, Step::exit)
                .containsExactly(
                        tuple("sh", 2, 3, new ExitStatus(4, 0)),
                        tuple("a?b", 1, 4, new ExitStatus(0, 0)),
                        tuple("sh", 1, 4, startersEnd));
        assertThat(noted.each().getFirst().cpus()).isEqualTo(2);
        assertThat(noted.each().getFirst().cpuMillis()).isGreaterThan(50);
        assertThat(noted.each().getFirst().endedAt())
                .isBetween(noted.each().getFirst().beganAt(), noted.each().get(1).beganAt());
    }

    @Test
    void nothing_is_left_of_a_step() throws Exception {
        run("srun -n2 true");

        assertThat(steps)
                .isDirectoryNotContaining("glob:**/step.*")
                .isDirectoryContaining("glob:**/next");
    }

    @Test
    void a_part_of_a_step_on_several_components_has_its_own_options_and_program() throws Exception {
        String set = "SLURM_JOB_ID=8 SLURM_JOB_ID_HET_GROUP_0=7 SLURM_HET_SIZE=3 BERTH_PART_OF=";
        String words =
                " srun -l -n1 -o out.%j : -G2 -K : -n1 sh -c 'echo $GPUS' first : -G1 sh -c 'echo $0 $1' x y";
        words = words.replace("$GPUS", "$SLURM_JOB_ID $SLURM_JOB_NODELIST $CUDA_VISIBLE_DEVICES");

        Result second = run("BERTH_PART='4 2 1 3 4 a,b,gpu1,c 1(x4) 1 2' " + set + 1 + words);
        Result last = run("BERTH_PART='4 3 2 3 4 a,b,gpu1,c 1(x4) 0 1' " + set + 3 + words);

        assertThat(second).isEqualTo(new Result(0, "", ""));
        assertThat(last).isEqualTo(new Result(0, "", ""));
        assertThat(folder.resolve("out.7"))
                .as("two GPUs of a component are one on each of its two nodes")
                .hasContent("1: 7 a,b,gpu1,c G0\n2: x y");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "srun                       | no program to run",
                "srun --pty bash            | --pty has no terminal in the script of a job: srun --pty is for a login host",
                "srun --foo bash            | option --foo is not known here. See docs/node-agent.md, \"Steps\"",
                "srun --jobid=8 true        | --jobid=8 is another job than this, 7",
                "srun -m plane=2 true       | --distribution=plane=2 is not there: block or cyclic",
                "SLURM_GPU_BIND=x srun true | --gpu-bind=x is not there: none, closest, single:N, per_task:N, map_gpu:LIST or mask_gpu:LIST",
                "srun --mem-bind=rank true  | --mem-bind=rank is not there: none or local",
                "SLURM_MEM_BIND=v,map_mem:0 srun true | --mem-bind=map_mem:0 is not there: none or local",
                "srun -t 1:x true           | -t is a time, such as 30, 1:30:00 or 1-12, not '1:x'",
                "srun --no-kill=on true     | --no-kill takes no value but off, not 'on'",
                "srun --gpu-bind=single:0 true | --gpu-bind=single:0 is not there: none, closest, single:N, per_task:N, map_gpu:LIST or mask_gpu:LIST",
                "srun --gpu-bind=map_gpu: true | --gpu-bind=map_gpu: is not there: none, closest, single:N, per_task:N, map_gpu:LIST or mask_gpu:LIST",
                "srun -n0 true              | -n is a number from 1 on, not '0'",
                "srun -n                    | -n needs a value",
                "srun -G5 true              | the step needs 5 GPUs, the job holds 4 here",
                "srun -n65 --exact true     | Unable to create step for job 7: More processors requested than permitted (65, the job holds 64 here; with -O tasks share them)",
                "SLURM_CPUS_ON_NODE=2 srun -n64 true | Unable to create step for job 7: More processors requested than permitted (64, the job holds 2 here; with -O tasks share them)",
                "SLURM_CPUS_ON_NODE=2 SLURM_OVERCOMMIT=0 srun -c3 true | Unable to create step for job 7: More processors requested than permitted (3, the job holds 2 here; with -O tasks share them)",
                "srun -O -n999 --exact true | the step needs 999 CPUs, the job holds CPUS here",
                "srun --gpus=many true      | --gpus is a number of GPUs, such as 2 or a100:2, not 'many'",
                "srun --hint=memory_bound true | --hint=memory_bound is not there: multithread, nomultithread or compute_bound",
                "srun --ntasks-per-core=1 true | --ntasks-per-core is not there: --threads-per-core=1 gives each task cores of its own",
                "srun --exact --hint=nomultithread true | --exact is not there with --hint or --threads-per-core: other steps would get the other threads",
                "srun --send-libs true      | --send-libs is not there: libraries are not sent with --bcast",
                "srun --bcast --multi-prog /dev/null | --bcast is for one program, without --multi-prog, --pty and a container",
                "srun --mpi=pmix true       | --mpi=pmix is not there: only none. Start MPI with mpirun",
                "SLURM_JOB_NUM_NODES=2 srun true | a step on several nodes needs a script that runs on the first of the job's alone: give -N1 here",
                "srun -N2 true              | Only allocated 1 nodes asked for 2",
                "srun -w gpu2 true          | the job holds gpu1, not gpu2",
                "srun --het-group=1 true    | Attempt to run a job step with het group value of 1, but the job allocation has maximum value of 0",
                "SLURM_HET_SIZE=3 srun --het-group=3 true | Attempt to run a job step with het group value of 3, but the job allocation has maximum value of 2",
                "srun --het-group=all true  | --het-group is the number of a component, or a list such as 0,2-3, not 'all'",
                "srun --het-group=0-1-2 true | --het-group is the number of a component, or a list such as 0,2-3, not '0-1-2'",
                "srun --het-group=1-0 true  | --het-group=1-0: 1-0 goes backwards",
                "SLURM_HET_SIZE=3 srun --het-group=0,2 true | a step on several nodes needs a script that runs on the first of the job's alone: give -N1 here",
                "BERTH_STEP_SECRET=s SLURM_HET_SIZE=3 srun --het-group=0,3 true | Attempt to run a job step with het group value of 3, but the job allocation has maximum value of 2",
                "BERTH_STEP_SECRET=s SLURM_HET_SIZE=2 srun -n1 true : -n2 true : true | Attempt to run a job step with het group value of 2, but the job allocation has maximum value of 1",
                "BERTH_STEP_SECRET=s SLURM_HET_SIZE=2 srun --het-group=0,1 true : true | Duplicate het groups in single srun not supported",
                "BERTH_STEP_SECRET=s SLURM_HET_SIZE=2 srun true : -n2 | no program to run",
                "BERTH_STEP_SECRET=s SLURM_HET_SIZE=2 srun true : --multi-prog /dev/null | --multi-prog is for all components alike, and no part's",
                "BERTH_STEPS= srun true     | no allocation here: srun works inside the script of a job, see sbatch"
            })
    void what_cannot_be_done_is_said_in_one_line(String command, String message) throws Exception {
        Result step = run(command);

        String cpus = Integer.toString(Runtime.getRuntime().availableProcessors());
        assertThat(step)
                .isEqualTo(
                        new Result(1, "", "srun: error: " + message.replace("CPUS", cpus) + "\n"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-N2 | a step on several nodes needs the node's agent, which does not answer",
                "-w gpu2 -n1 | a step on several nodes needs the node's agent, which does not answer"
            })
    void a_step_over_nodes_of_a_script_in_a_container_takes_the_agent(String options, String why)
            throws Exception {
        Result step =
                run(
                        "export SLURM_CONTAINER=/images/torch SLURM_JOB_NUM_NODES=2"
                                + " BERTH_STEP_NODES=gpu1:1:1,gpu2:1:1 BERTH_STEP_SECRET=s; srun %s true; echo $?; ls \"$BERTH_STEPS\""
                                        .formatted(options));

        assertThat(step).isEqualTo(new Result(0, "1\nlock\nnext\n", "srun: error: " + why + "\n"));
        await().untilAsserted(() ->
                assertThat(
                                ProcessHandle.allProcesses()
                                        .flatMap(it -> it.info().commandLine().stream())
                                        .filter(it -> it.contains(folder + "/bin/srun --outside")))
                        .isEmpty());
    }

    @Test
    void the_one_task_of_a_step_has_the_terminal_that_its_srun_has() throws Exception {
        Result step =
                run(
                        "script -qec 'srun --pty sh -c \"test -t 0 && echo a terminal\"; srun --pty -n2 true' /dev/null");

        assertThat(step.output().replace("\r", ""))
                .isEqualTo("a terminal\nsrun: error: --pty is for one task on one node\n");
    }

    /// What would be more than 64 bits of MiB wraps around to little.
    @Test
    void memory_beyond_all_measure_is_refused() throws Exception {
        assertThat(run("srun --mem=17592186044417T true").error())
                .isEqualTo(
                        "srun: error: --mem is at most 9999999999 of a unit, not '17592186044417T'\n");
    }

    private Path awaitAsk(String name) {
        Path ask = folder.resolve("asks").resolve(name);
        await().until(() -> Files.exists(ask));
        return ask;
    }

    private void answer(Path ask, String text) throws IOException {
        Files.delete(ask);
        Files.writeString(folder.resolve("new"), text);
        Files.move(folder.resolve("new"), folder.resolve("told").resolve(ask.getFileName()));
    }

    @Test
    void tasks_wait_until_the_agent_has_put_them_in_groups() throws Exception {
        assumeThat(kind).isEqualTo(Shims.Kind.PROGRAM);
        Files.createDirectories(folder.resolve("asks"));
        Files.createDirectories(folder.resolve("told"));

        Process step =
                start(
                        "srun -l -n2 -G3 --gpu-bind=map_gpu:0,2 --cpu-bind=map_cpu:0 sh -c 'echo $SLURM_TASK_PID'");
        Path begin = awaitAsk("begin.0");
        assertThat(begin).content().matches("[0-9]+ [0-9]+ 2 0 - G0,G1,G2 0\n");
        answer(begin, "");
        Path asked = awaitAsk("tasks.0");
        List<String> tasks = Files.readAllLines(asked);
        assertThat(folder.resolve("stdout")).isEmptyFile();
        answer(asked, "some of them are not bound\n");
        answer(awaitAsk("end.0"), "");

        assertThat(step.waitFor()).isZero();
        assertThat(tasks)
                .zipSatisfy(
                        List.of("0 [0-9]+ 0 G0", "1 [0-9]+ 0 G2"),
                        (task, pattern) -> assertThat(task).matches(pattern));
        assertThat(sorted(Files.readString(folder.resolve("stdout"))))
                .containsExactlyElementsOf(
                        tasks.stream()
                                .map(it -> it.split(" ")[0] + ": " + it.split(" ")[1])
                                .toList());
        assertThat(folder.resolve("stderr"))
                .hasContent("srun: warning: gpu1: some of them are not bound");
    }

    @Test
    void tasks_that_wait_do_not_begin_when_their_srun_is_killed() throws Exception {
        assumeThat(kind).isEqualTo(Shims.Kind.PROGRAM);
        Files.createDirectories(folder.resolve("asks"));
        Files.createDirectories(folder.resolve("told"));

        Process step = start("srun -l -n2 --gpu-bind=single:1 sh -c ': >begun'");
        answer(awaitAsk("begin.0"), "");
        List<String> tasks = Files.readAllLines(awaitAsk("tasks.0"));
        long task = Long.parseLong(tasks.getFirst().split(" ")[1]);
        long starter = LiveProcess.stat(task).orElseThrow().parent();
        ProcessHandle.of(starter).orElseThrow().destroyForcibly();
        answer(awaitAsk("end.0"), "");

        assertThat(step.waitFor()).isNotZero();
        await().until(() -> LiveProcess.stat(task).isEmpty());
        assertThat(folder.resolve("begun")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-n3",
                "-n2 --exact -c1",
                "-n2 --cpu-bind=none --gpus-per-task=1 --gpu-bind=none"
            })
    void tasks_that_are_bound_to_nothing_wait_for_nobody_and_tell_what_they_used(String options)
            throws Exception {
        assumeThat(kind).isEqualTo(Shims.Kind.PROGRAM);
        Files.createDirectories(folder.resolve("asks"));
        Files.createDirectories(folder.resolve("told"));

        Process step =
                start(
                        "srun %s sh -c 'until [ -s $0 ]; do sleep 0.01; done; cat $0' steps/step.0.tasks.now"
                                .formatted(options));
        answer(awaitAsk("begin.0"), "");
        answer(awaitAsk("end.0"), "");

        assertThat(step.waitFor()).isZero();
        assertThat(folder.resolve("asks")).isEmptyDirectory();
        assertThat(folder.resolve("stderr")).isEmptyFile();
        assertThat(Files.readAllLines(folder.resolve("stdout")).getFirst())
                .matches("task 0 [0-9]+");
        assertThat(Files.readAllLines(steps.resolve("log")).getLast())
                .matches("tasks 0 [23]( [0-9]+){12}");
    }

    @Test
    void what_no_agent_answered_in_time_is_asked_no_more() throws Exception {
        Path asks = Files.createDirectories(folder.resolve("asks"));
        // Time flies.
        Files.createSymbolicLink(folder.resolve("bin/sleep"), Path.of("/bin/true"));

        Result step = run("srun --mem=32 -G2 true");

        assertThat(step.error())
                .isEqualTo(
                        "srun: warning: gpu1: nothing limits the step's memory and GPUs: it has no group of its own\n");
        assertThat(step.status()).isEqualTo(0);
        assertThat(asks).isEmptyDirectory();
        assertThat(run("srun -G4 true").error()).isEmpty();
        assertThat(run("srun --mem=32 true").error())
                .contains("nothing limits the step's memory: it");
    }

    @Test
    void a_step_of_which_the_node_only_warns_begins_and_asks_nothing_more() throws Exception {
        Path asks = Files.createDirectories(folder.resolve("asks"));
        Files.createDirectories(folder.resolve("told"));

        Process step = start("srun -n2 -G2 true");
        answer(awaitAsk("begin.0"), "warning: the step can open all GPUs of the job: why\n");
        answer(awaitAsk("end.0"), "");

        assertThat(step.waitFor()).isZero();
        assertThat(folder.resolve("stderr"))
                .hasContent("srun: warning: gpu1: the step can open all GPUs of the job: why");
        assertThat(asks).isEmptyDirectory();
    }

    @Test
    void tasks_that_no_agent_answers_begin_without_groups_and_say_so() throws Exception {
        assumeThat(kind).isEqualTo(Shims.Kind.PROGRAM);
        Files.createDirectories(folder.resolve("asks"));
        Files.createDirectories(folder.resolve("told"));

        Process step = start("srun -n2 --gpu-bind=single:1 echo begun");
        answer(awaitAsk("begin.0"), "");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> Files.exists(folder.resolve("asks/end.0")));
        answer(awaitAsk("end.0"), "");

        assertThat(step.waitFor()).isZero();
        assertThat(folder.resolve("stderr"))
                .hasContent(
                        "srun: warning: gpu1: the node's agent does not answer: tasks have no groups of their own");
    }
}
