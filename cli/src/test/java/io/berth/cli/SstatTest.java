package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// `sstat`.
final class SstatTest {

    private final FakeMesh mesh =
            new FakeMesh()
                    .on(
                            "GET",
                            "/v1/jobs/17",
                            """
                            {"id":17,"state":"RUNNING","tasks":4,"startedAt":1}
                            """)
                    .on(
                            "GET",
                            "/v1/jobs/17/telemetry",
                            """
                            {"nodes":[
                              {"node":"gpu-01","at":5,"cpuMillis":90000,"maxMemoryMib":1536,"readMib":3,"writtenMib":9,
                               "steps":[{"step":0,"tasks":2,"cpuMillis":80000,"maxMemoryMib":1400},{"step":1,"tasks":1,"cpuMillis":4000,"maxMemoryMib":9}]},
                              {"node":"gpu-02","at":5,"cpuMillis":30000,"maxMemoryMib":512,"readMib":4,
                               "steps":[{"step":0,"tasks":2,"cpuMillis":20000,"maxMemoryMib":200}]}],
                             "gpus":[
                              {"node":"gpu-01","uuid":"G0","at":[1,2],"use":[80,100],"memoryUsedMib":[null,30000]},
                              {"node":"gpu-02","uuid":"G1","at":[1,2],"use":[50,null],"memoryUsedMib":[20000,null]}]}
                            """)
                    .on("GET", "/v1/jobs/19", "{\"id\":19,\"state\":\"RUNNING\",\"tasks\":1}")
                    .on(
                            "GET",
                            "/v1/jobs/19/telemetry",
                            """
                            {"nodes":[{"node":"gpu-01","at":5,"cpuMillis":1000,"maxMemoryMib":64,"gpuMemoryMib":1500,"steps":[]}],
                             "gpus":[{"node":"gpu-01","uuid":"G0","at":[1],"use":[80],"memoryUsedMib":[30000]}]}
                            """)
                    .on("GET", "/v1/jobs/18", "{\"id\":18,\"state\":\"PENDING\",\"tasks\":1}")
                    .on("GET", "/v1/jobs/18/telemetry", "{\"nodes\":[],\"gpus\":[]}");

    @AfterEach
    void close() {
        mesh.close();
    }

    private Outcome run(String... words) {
        return new CommandRun(mesh).run(words);
    }

    @Test
    void a_running_job_is_told_over_its_nodes_and_gpus() {
        Outcome outcome =
                run(
                        "sstat",
                        "-nP",
                        "-j",
                        "17.batch",
                        "-o",
                        "JobID,NTasks,AveCPU,MaxRSS,MaxRSSNode,AveRSS,MaxDiskRead,"
                                + "MaxDiskReadNode,MaxDiskWrite,TRESUsageInAve,TRESUsageInMax,Nodelist");

        assertThat(outcome)
                .isEqualTo(
                        new Outcome(
                                0,
                                "17.batch|4|00:00:30|1536M|gpu-01|1G|4M|gpu-02|9M"
                                        + "|cpu=00:00:30,gres/gpuutil=77,mem=1G"
                                        + "|cpu=00:00:30,gres/gpumem=30000M,mem=1536M|gpu-[01-02]\n",
                                ""));
    }

    @Test
    void of_a_part_of_a_gpu_the_memory_is_the_jobs_own() {
        assertThat(run("sstat", "-nP", "-j", "19", "-o", "TRESUsageInMax").out())
                .isEqualTo("cpu=00:00:01,gres/gpumem=1500M,mem=64M\n");
    }

    @Test
    void numbers_of_processes_are_told_elsewhere() {
        assertThat(run("sstat", "-i", "-j", "17"))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "sstat: error: --pidformat: nodes do not tell the numbers of processes; 'scontrol listpids' does, on a node\n"));
    }

    @Test
    void columns_stand_as_in_slurm() {
        assertThat(run("sstat", "-a", "-j", "17", "--format=JobID,MaxRSS,AveCPU").out())
                .isEqualTo(
                        """
                        JobID            MaxRSS     AveCPU\s
                        ------------ ---------- ----------\s
                        17.batch          1536M   00:00:30\s
                        17.0              1400M   00:00:25\s
                        17.1                 9M   00:00:04\s
                        """);
    }

    @Test
    void a_step_is_told_over_its_nodes() {
        assertThat(run("sstat", "-nP", "-j", "17.0", "-o", "JobID,NTasks,MaxRSSNode,Nodelist"))
                .isEqualTo(new Outcome(0, "17.0|4|gpu-01|gpu-[01-02]\n", ""));
        assertThat(run("sstat", "-nP", "-j", "17.7").err())
                .isEqualTo(
                        "sstat: error: no steps running for job 17.7, or its nodes have not told: they do every few seconds\n");
    }

    @Test
    void a_steps_tasks_are_told_one_by_one_over_its_nodes() {
        mesh.on(
                "GET",
                "/v1/jobs/17/telemetry",
                """
                {"nodes":[
                  {"node":"gpu-01","at":5,"cpuMillis":90000,"maxMemoryMib":1536,"steps":[{"step":0,"tasks":2,"cpuMillis":80000,
                   "maxMemoryMib":1400,"byTask":{"tasks":2,"cpuMillis":60000,"memoryMib":900,"leastCpu":{"rank":1,"amount":9000},
                   "mostMemory":{"rank":0,"amount":800}}}]},
                  {"node":"gpu-02","at":5,"cpuMillis":30000,"maxMemoryMib":512,"steps":[{"step":0,"tasks":1,"cpuMillis":20000,
                   "maxMemoryMib":200,"byTask":{"tasks":1,"cpuMillis":3000,"memoryMib":900,"writtenMib":6,
                   "leastCpu":{"rank":2,"amount":3000},"mostMemory":{"rank":2,"amount":900},"mostWritten":{"rank":2,"amount":6}}}]}],
                 "gpus":[]}
                """);

        assertThat(
                        run(
                                        "sstat",
                                        "-nP",
                                        "-j",
                                        "17.0",
                                        "-o",
                                        "NTasks,AveCPU,MinCPU,MinCPUNode,MinCPUTask,MaxRSS,MaxRSSNode,MaxRSSTask,AveRSS,MaxDiskRead,MaxDiskWriteTask,AveDiskWrite")
                                .out())
                .isEqualTo("3|00:00:21|00:00:03|gpu-02|2|900M|gpu-02|2|600M||2|6M\n");
    }

    @Test
    void a_job_that_does_not_run_is_said_and_the_others_are_shown() {
        assertThat(run("sstat", "-nP", "-o", "JobID", "-j", "18,17"))
                .isEqualTo(
                        new Outcome(
                                1, "17.batch\n", "sstat: error: no steps running for job 18\n"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sstat            | You didn't give me any jobs to stat.",
                "sstat -j x       | Invalid job id: x",
                "sstat -j 17.x    | 17.x: a step is a number, or batch, as in 17.0",
                "sstat -j 17 -o Pages | Unknown field 'Pages'"
            })
    void what_cannot_be_asked_is_said_in_one_line(String command, String message) {
        assertThat(run(command.split(" ")))
                .isEqualTo(new Outcome(1, "", "sstat: error: " + message + "\n"));
    }
}
