package io.berth.contracts.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.Submission;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.topic.Topics;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecurringDescriptionsTest {

    private static final EventCodec<Submission> CODEC = new EventCodec<>(Topics.SUBMISSIONS);

    @Test
    void equal_descriptions_in_two_records_are_one_object() throws Exception {
        JobDescription first = read(1, job("train"));

        JobDescription second = read(2, job("train"));

        assertThat(second).isEqualTo(job("train")).isSameAs(first);
    }

    @ParameterizedTest
    @ValueSource(strings = {"}", "{", "\"", "\\", "\\\"}", "}}}}\\\\", "ü→😀", "a\u0001\n"})
    void a_name_of_any_signs_is_read_as_it_was_written(String name) throws Exception {
        for (long job = 1; job < 4; job++) {
            assertThat(read(job, job(name))).isEqualTo(job(name));
        }
    }

    @Test
    void descriptions_that_differ_in_their_last_field_are_told_apart() throws Exception {
        for (int nice = 0; nice < 5_000; nice++) {
            assertThat(read(1, nice(nice))).isEqualTo(nice(nice));
            assertThat(read(2, nice(nice % 7))).isEqualTo(nice(nice % 7));
        }
    }

    @Test
    void one_that_was_written_before_is_written_the_same_again() throws JsonProcessingException {
        JobDescription job = job("train ü \"}");
        String plain = Json.mapper().writeValueAsString(submitted(7, job));

        for (int i = 0; i < 3; i++) {
            assertThat(text(submitted(7, job))).isEqualTo(plain);
        }
        for (int i = 0; i < 5_000; i++) {
            assertThat(text(submitted(7, nice(i)))).contains("\"nice\":" + i + ",");
        }
        assertThat(text(submitted(7, job))).isEqualTo(plain);
    }

    @Test
    void one_of_many_nodes_is_read_and_written_too() throws Exception {
        List<NodeName> nodes =
                IntStream.range(0, 3_000)
                        .mapToObj(it -> new NodeName("node%04d".formatted(it)))
                        .toList();
        var constraints = new NodeConstraints(null, List.of(), nodes, Sharing.SHARED, null);
        JobDescription job = describe("train", 0, constraints);

        assertThat(read(1, job)).isEqualTo(job);
        assertThat(read(2, job)).isEqualTo(job);
    }

    @Test
    void half_a_record_is_corrupt_with_a_known_description_in_it() throws Exception {
        assertThat(read(1, job("train"))).isEqualTo(job("train"));
        byte[] value = CODEC.value(submitted(1, job("train")));

        for (int length = 0; length < value.length; length++) {
            byte[] half = Arrays.copyOf(value, length);
            assertThatThrownBy(() -> CODEC.event("berth.submissions.v1/Submitted", half))
                    .isInstanceOf(EventCodec.CorruptEvent.class);
        }
    }

    private static JobDescription read(long job, JobDescription description) throws Exception {
        byte[] value = CODEC.value(submitted(job, description));
        return ((Submitted) CODEC.event("berth.submissions.v1/Submitted", value)).description();
    }

    private static String text(Submitted submitted) {
        return new String(CODEC.value(submitted), StandardCharsets.UTF_8);
    }

    private static Submitted submitted(long job, JobDescription description) {
        return new Submitted(
                new JobId(job), description, "alice", new SpecReference(0, job, "0a"), null);
    }

    private static JobDescription job(String name) {
        return describe(name, 0, NodeConstraints.NONE);
    }

    private static JobDescription nice(int nice) {
        return describe("train", nice, NodeConstraints.NONE);
    }

    private static JobDescription describe(String name, int nice, NodeConstraints constraints) {
        var request =
                new ResourceRequest(
                        1, 1, 1, MemoryRequest.perNode(64), GpuRequest.NONE, constraints);
        return new JobDescription(
                "alice",
                "team",
                "batch",
                "normal",
                name,
                request,
                LaunchMode.BATCH,
                60,
                nice,
                true);
    }
}
