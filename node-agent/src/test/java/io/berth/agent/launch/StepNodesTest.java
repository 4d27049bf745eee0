package io.berth.agent.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// On which nodes `srun` starts a step, as a process. What would start it there is a script that
/// notes its `nodelist` and waits until a file `go` is there.
class StepNodesTest {

    private static final String STARTER =
            """
            #!/bin/sh
            echo "$SLURM_JOB_ID $SLURM_JOB_NUM_NODES $MASTER_ADDR" >>jobs
            plan() { echo "$1" | sed -n "s/^$2=//p"; }
            for word; do
                case $word in
                id=*) id=${word#*=} ;;
                component=*)
                    echo "$(plan "$word" component): $(plan "$word" part)" >>plans
                    plan "$word" nodelist >>started
                    ;;
                esac
            done
            [ ! -e out ] || cat out
            echo "line of step $id" >>out
            until [ -e go ]; do sleep 0.02; done
            """;

    @TempDir Path folder;

    @BeforeEach
    void install() throws Exception {
        var unused = Shims.install(folder, new Commands());
        Files.createDirectories(folder.resolve("steps"));
        Path starter = folder.resolve("bin/berth-session");
        Files.deleteIfExists(starter);
        Files.writeString(starter, STARTER);
        Files.setPosixFilePermissions(starter, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /// A script on the first of three nodes with four CPUs and two GPUs each.
    private Process start(String script) throws IOException {
        var builder = new ProcessBuilder("sh", "-c", script).directory(folder.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", folder + "/bin:/usr/bin:/bin");
        builder.environment().put("BERTH_STEPS", folder + "/steps");
        builder.environment().put("BERTH_STEP_SECRET", "secret");
        builder.environment().put("BERTH_STEP_NODES", "a:1:4,b:1:4,c:1:4");
        builder.environment().put("SLURM_JOB_ID", "7");
        builder.environment().put("SLURM_JOB_NUM_NODES", "3");
        builder.environment().put("SLURMD_NODENAME", "a");
        builder.environment().put("SLURM_GPUS_ON_NODE", "2");
        builder.environment().put("CUDA_VISIBLE_DEVICES", "G0,G1");
        builder.redirectOutput(folder.resolve("stdout").toFile());
        builder.redirectError(folder.resolve("stderr").toFile());
        return builder.start();
    }

    private String started() throws IOException {
        Path file = folder.resolve("started");
        return Files.exists(file) ? String.join(" ", Files.readAllLines(file)) : "";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-N2                                        | a,b",
                "-n2                                        | a,b",
                "-N1 ; -N1                             | b",
                "-N1 ; -N2                             | b,c",
                "-n1 ; -N1 ; -n1                       | b c",
                "-N1 --overlap ; -N2                   | a,b",
                "-n1 --exact -c2 -G1 ; -n2 --exact -c2 -G2 | a,b",
                "-n1 --exact -c2 -G1 ; -N1 --exact -c4 -G1 | b",
                "-n1 --exact -c1 -G2 ; -N1 --exact -c1 -G1 | b",
                "-N1 ; -N3 --overlap                   | a,b,c"
            })
    void a_step_is_on_nodes_with_room_for_it(String steps, String nodes) throws Exception {
        assumeThat(Runtime.getRuntime().availableProcessors()).isGreaterThan(1);
        var script = new StringBuilder();
        int begun = 0;
        for (String step : steps.split(" ; ")) {
            script.append(
                    "until [ $(ls steps | grep -c nodes) = %d ]; do sleep 0.02; done\n"
                            .formatted(begun++));
            script.append(
                    "srun %s sh -c 'until [ -e go ]; do sleep 0.02; done' &\n".formatted(step));
        }
        Process job = start(script + "wait");
        await().until(() -> started().length() >= nodes.length());

        Files.createFile(folder.resolve("go"));

        assertThat(job.waitFor()).isZero();
        assertThat(started()).isEqualTo(nodes);
        assertThat(folder.resolve("steps")).isDirectoryNotContaining("glob:**/nodes.*");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--ntasks-per-gpu=2          | tasks= perNode=4",
                "-N2 --gres=gpu:1 --ntasks-per-gpu=2 | tasks= perNode=2",
                "-G3 --ntasks-per-gpu=2      | tasks=6 perNode=",
                "--external-launcher         | tasks= perNode=1",
                "-n3 -N3 --external-launcher | tasks=3 perNode="
            })
    void the_tasks_follow_from_the_gpus_or_are_one_for_each_node(String options, String plan)
            throws Exception {
        Path starter = folder.resolve("bin/berth-session");
        Files.writeString(
                starter,
                "#!/bin/sh\nfor last; do :; done\necho \"$last\" | grep -E '^(tasks|perNode)='");

        assertThat(start("SLURM_NTASKS=3 srun " + options + " true").waitFor()).isZero();
        assertThat(String.join(" ", Files.readAllLines(folder.resolve("stdout")))).isEqualTo(plan);
    }

    @Test
    void a_step_waits_until_enough_nodes_have_room_and_says_so() throws Exception {
        Process job =
                start(
                        "srun -N2 true & until [ -e started ]; do sleep 0.02; done;"
                                + " srun -N3 true & wait");
        await().until(() -> Files.size(folder.resolve("stderr")) > 0);
        String before = started();

        Files.createFile(folder.resolve("go"));

        assertThat(job.waitFor()).isZero();
        assertThat(before).isEqualTo("a,b");
        assertThat(started()).isEqualTo("a,b a,b,c");
        assertThat(folder.resolve("stderr"))
                .hasContent(
                        "srun: Job 7 step creation temporarily disabled, retrying (Requested"
                                + " resources are busy)\n");
    }

    @Test
    void a_file_of_all_nodes_is_emptied_before_any_part_begins() throws Exception {
        Files.writeString(folder.resolve("out"), "old\n");
        Files.createFile(folder.resolve("go"));

        int status = start("srun -N2 -o out true").waitFor();

        assertThat(status).isZero();
        assertThat(folder.resolve("stdout")).isEmptyFile();
        assertThat(folder.resolve("out")).hasContent("line of step 0\n");
    }

    @Test
    void a_part_keeps_what_faster_nodes_wrote() throws Exception {
        Files.writeString(folder.resolve("out"), "of a faster node\n");

        int status =
                start("BERTH_PART='0 0 0 2 2 a,b 1(x2)' srun -N2 -o out -e err.%N echo here")
                        .waitFor();

        assertThat(status).isZero();
        assertThat(folder.resolve("out")).hasContent("of a faster node\nhere\n");
        assertThat(folder.resolve("err.a")).isEmptyFile();
    }

    /// A script of two components: three nodes, and two, of which one is of both.
    private static final String COMPONENTS =
            """
            export SLURM_HET_SIZE=2 MASTER_ADDR=a MASTER_ADDR_HET_GROUP_0=a
            export SLURM_JOB_ID_HET_GROUP_0=7 SLURM_JOB_NUM_NODES_HET_GROUP_0=3
            export BERTH_STEP_NODES_HET_GROUP_0=a:1:4,b:1:4,c:1:4
            export MASTER_ADDR_HET_GROUP_1=d SLURM_JOB_ID_HET_GROUP_1=8
            export SLURM_JOB_NUM_NODES_HET_GROUP_1=2 BERTH_STEP_NODES_HET_GROUP_1=d:1:4,a:1:4
            begun() { until [ $(ls steps | grep -c nodes) = $1 ]; do sleep 0.02; done; }
            """;

    @Test
    void steps_of_another_component_are_on_its_nodes_as_of_its_job() throws Exception {
        String component =
                COMPONENTS
                        + """
                        srun --het-group=1 -N1 true & begun 1
                        srun --pack-group 1 -N1 true & begun 2
                        srun -N3 --het-group=0 true &
                        wait
                        """;
        Process job = start(component);
        await().until(() -> started().endsWith("c"));

        Files.createFile(folder.resolve("go"));

        assertThat(job.waitFor()).isZero();
        assertThat(started()).as("that one node is of both does not matter").isEqualTo("d a a,b,c");
        assertThat(folder.resolve("jobs")).hasContent("8 2 d\n8 2 d\n7 3 a");
        assertThat(folder.resolve("steps")).isDirectoryNotContaining("glob:**nodes.*");
    }

    @Test
    void a_step_of_several_components_takes_nodes_of_each_and_has_one_number() throws Exception {
        Files.createFile(folder.resolve("go"));

        Process job =
                start(
                        COMPONENTS
                                + """
                                srun -N1 --het-group=1 -o b.%j b 'x y' : -N2 --het-group=0 a -o c
                                srun -N1 --het-group=0-1 -o out true
                                ls steps
                                """);

        assertThat(job.waitFor()).isZero();
        assertThat(folder.resolve("plans"))
                .as("a component and its part of the words")
                .hasContent("0: 1\n1: 0\n0: 0\n1: 0");
        assertThat(started()).isEqualTo("a,b d a d");
        assertThat(folder.resolve("b.7")).isEmptyFile();
        assertThat(folder.resolve("out")).hasContent("line of step 1");
        assertThat(folder.resolve("stdout")).hasContent("lock\nnext");
        assertThat(folder.resolve("steps/next")).hasContent("2");
    }

    @Test
    void a_step_of_several_components_holds_nothing_until_all_have_room() throws Exception {
        Process job =
                start(
                        COMPONENTS
                                + """
                                srun --het-group=1 -N2 true & until [ -e started ]; do sleep 0.02; done
                                srun --het-group=0,1 -N1 true & until [ -s stderr ]; do sleep 0.02; done
                                srun -N3 true & begun 2
                                wait
                                """);
        await().until(() -> started().endsWith("c"));
        String before = started();

        Files.createFile(folder.resolve("go"));

        assertThat(job.waitFor()).isZero();
        assertThat(before).isEqualTo("d,a a,b,c");
        assertThat(started()).isEqualTo("d,a a,b,c a d");
    }
}
