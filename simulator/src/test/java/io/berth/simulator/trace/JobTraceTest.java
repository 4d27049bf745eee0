package io.berth.simulator.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class JobTraceTest {

    private static final String HEADER =
            "job_id,user,group,submit_s,duration_s,gpus,gpu_milli,gpu_type,cpus_milli,mem_mib,nodes\n";

    @TempDir Path folder;

    private Path file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    @Test
    void a_line_is_a_job() throws Exception {
        Path file = file("a.csv", HEADER + "j1,ann,vc1,12.5,60,2,1000,A100|H100,8000,4096,1\n");

        assertThat(JobTrace.read(file, BadLines.refused()))
                .containsExactly(
                        new TraceJob(
                                "j1",
                                "ann",
                                "vc1",
                                12_500,
                                60_000,
                                -1,
                                2,
                                1000,
                                List.of("A100", "H100"),
                                8000,
                                4096,
                                1));
    }

    @Test
    void what_a_file_does_not_say_is_unknown() throws Exception {
        Path file = file("a.csv", "gpus,job_id,submit_s,duration_s\n0,j1,,\n");

        assertThat(JobTrace.read(file, BadLines.refused()))
                .containsExactly(new TraceJob("j1", "", "", -1, -1, -1, 0, 0, List.of(), 0, 0, 0));
    }

    @Test
    void a_gzipped_file_reads_the_same() throws Exception {
        Path file = folder.resolve("a.csv.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write((HEADER + "j1,,,0,1,1,500,,0,0,\n").getBytes(StandardCharsets.UTF_8));
        }

        assertThat(JobTrace.read(file, BadLines.refused()))
                .singleElement()
                .satisfies(job -> assertThat(job.gpuMilli()).isEqualTo(500));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "j1,,,0,1,one,,,,,     | gpus is 'one', not a whole number",
                "j1,,,0,1,-1,,,,,      | gpus is -1; 0 to 1048576 are possible",
                "j1,,,soon,1,1,,,,,    | submit_s is 'soon', not a number of seconds",
                "j1,,,0,-5,1,,,,,      | duration_s is -5; 0 to 1e12 seconds are possible",
                "j1,,,0,1,1,2000,,,,   | gpu_milli is 2000; 0 to 1000 are possible",
                "j1,,,0,1,1,0,,,,      | gpu_milli is 0 for a job with GPUs; 1 to 1000 are possible",
                ",,,0,1,1,,,,,         | job_id is empty",
                "j1,,,0,1,1            | 6 fields where the header has 11"
            })
    void a_bad_line_is_refused_with_its_place_and_fault(String line, String fault)
            throws Exception {
        Path file = file("a.csv", HEADER + "j0,,,0,1,1,,,,,\n" + line + "\n");

        assertThatExceptionOfType(BadTrace.class)
                .isThrownBy(() -> JobTrace.read(file, BadLines.refused()))
                .withMessage(file + ":3: " + fault);
    }

    @Test
    void bad_lines_are_left_out_and_counted_where_that_is_wanted() throws Exception {
        Path file = file("a.csv", HEADER + "x\n" + "j1,,,0,1,1,,,,,\n" + "y\n".repeat(7));
        BadLines bad = BadLines.skipped();

        List<TraceJob> jobs = JobTrace.read(file, bad);

        assertThat(jobs).extracting(TraceJob::id).containsExactly("j1");
        assertThat(bad.count()).isEqualTo(8);
        assertThat(bad.named())
                .hasSize(5)
                .startsWith(file + ":2: 1 fields where the header has 11");
    }

    @Test
    void a_file_without_a_needed_column_is_refused() throws Exception {
        Path file = file("a.csv", "job_id,gpus\nj1,1\n");

        assertThatExceptionOfType(BadTrace.class)
                .isThrownBy(() -> JobTrace.read(file, BadLines.skipped()))
                .withMessage(file + ":1: no column submit_s, duration_s");
    }

    @Test
    void a_file_that_is_empty_or_not_there_is_refused() throws Exception {
        Path empty = file("empty.csv", "");
        Path missing = folder.resolve("missing.csv");

        assertThatExceptionOfType(BadTrace.class)
                .isThrownBy(() -> JobTrace.read(empty, BadLines.skipped()))
                .withMessage(empty + " is empty");
        assertThatExceptionOfType(BadTrace.class)
                .isThrownBy(() -> JobTrace.read(missing, BadLines.skipped()))
                .withMessage(missing + ": there is no such file");
    }

    @Test
    void a_line_of_the_standard_workload_format_is_a_job() throws Exception {
        Path file =
                file(
                        "a.swf",
                        """
                        ; Version: 2.2
                        ;
                          7  3600 12 600 16 -1 -1 32 900 -1 1 5 2 -1 3 1 -1 -1
                          8  3700 -1 -1 4 -1 -1 -1 -1 -1 0 -1 -1 -1 -1 -1 -1 -1
                        """);

        assertThat(JobTrace.read(file, BadLines.refused()))
                .containsExactly(
                        new TraceJob(
                                "7", "5", "3", 3_600_000, 600_000, 900_000, 32, 1000, List.of(), 0,
                                0, 0),
                        new TraceJob("8", "", "", 3_700_000, -1, -1, 4, 1000, List.of(), 0, 0, 0));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 2 3 | 3 fields; a job has 18",
                "1 0 0 x 4 -1 -1 4 9 -1 1 1 1 1 1 1 -1 -1 | field 4 is 'x', not a number",
                "1 0 0 9 -1 -1 -1 -1 9 -1 1 1 1 1 1 1 -1 -1 "
                        + "| neither requested nor allocated processors are known"
            })
    void a_bad_line_of_the_standard_workload_format_is_refused(String line, String fault)
            throws Exception {
        Path file = file("a.swf", "; header\n\n" + line + "\n");

        assertThatExceptionOfType(BadTrace.class)
                .isThrownBy(() -> JobTrace.read(file, BadLines.refused()))
                .withMessage(file + ":3: " + fault);
    }

    @Test
    void a_node_list_says_what_a_node_has() throws Exception {
        Path file =
                file(
                        "n.csv",
                        "node_id,gpu_type,gpus,gpu_mem_mib,cpus_milli,mem_mib,rack,partition\n"
                                + "a,T4,4,16384,96000,1024,r1,gpu\n"
                                + "b,,0,,,,,\n");

        assertThat(TraceNode.read(file, BadLines.refused()))
                .containsExactly(
                        new TraceNode("a", "T4", 4, 96_000, 1024, "gpu"),
                        new TraceNode(
                                "b", "", 0, TraceNode.UNKNOWN_CPUS, TraceNode.UNKNOWN_MIB, ""));
    }

    @Test
    void an_order_of_arrival_names_places_of_the_list() throws Exception {
        Path file = file("o.csv", "seed,n,order\n43,3,1 0 1\n42,1,0\n");

        ArrivalOrders orders = ArrivalOrders.read(file, 2);

        assertThat(orders.bySeed().keySet()).containsExactly(42, 43);
        assertThat(orders.bySeed().get(43)).containsExactly(1, 0, 1);
    }

    @Test
    void an_order_that_names_no_job_of_the_list_is_refused() throws Exception {
        Path file = file("o.csv", "seed,order\n42,0 2\n");

        assertThatExceptionOfType(BadTrace.class)
                .isThrownBy(() -> ArrivalOrders.read(file, 2))
                .withMessage(file + ":2: order has place 2 of a list of 2 jobs");
    }
}
