package io.berth.submit.restd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.json.Json;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Refused;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SlurmSubmissionTest {

    private static JobSubmission of(String field, String value) throws Refused {
        var body = JsonNodeFactory.instance.objectNode().put("script", "#!/bin/sh\n");
        body.putObject("job").put(field, value);
        return SlurmSubmission.of(body);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gres/gpu:2                            | 2 |      |       |",
                "gres/gpu:a100=2                       | 2 | a100 |       |",
                "gres:gpu:4,gres:nic:1                 | 4 |      |       | nic:1",
                "gres/nic=1,gres/gpu=4,gres/fpga:x=2   | 4 |      |       | fpga:x:2,nic:1",
                "gres/mps=50                           |   |      | mps:50|",
            })
    void what_a_node_is_to_have_is_a_list(
            String list,
            @Nullable Integer gpus,
            @Nullable String type,
            @Nullable String part,
            @Nullable String others)
            throws Refused {
        JobSubmission job = of("tres_per_node", list);

        assertThat(job.gpusPerNode()).isEqualTo(gpus);
        assertThat(job.gpuType()).isEqualTo(type);
        assertThat(String.valueOf(job.gpuPart()).replace("gres:", ""))
                .isEqualTo(String.valueOf(part));
        assertThat(job.gres()).isEqualTo(others);
    }

    @Test
    void each_task_is_to_have_gpus_of_several_types() throws Refused {
        JobSubmission job = of("tres_per_task", "gres/gpu:a100=2,gres/gpu:v100=1");

        assertThat(job.gpusPerTask()).isEqualTo(3);
        assertThat(job.gpuTypes()).isEqualTo("a100:2,v100:1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gres/gpu:4,gres/nic:1",
                "gres/nic:1",
                "gres/gpu:many",
                "gres/gpumem=4",
                "gres/gpu:a100:sxm:4"
            })
    void what_a_job_is_to_have_in_all_is_one_number_of_gpus(String tres) {
        assertThatThrownBy(() -> of("tres_per_job", tres)).isInstanceOf(Refused.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"script\":\"#!/bin/sh\",\"jobs\":{\"a\":1}}",
                "{\"script\":\"#!/bin/sh\",\"jobs\":[5]}",
                "{\"script\":\"#!/bin/sh\",\"jobs\":[{\"name\":\"a\"},null]}",
                "{\"script\":\"#!/bin/sh\",\"job\":[]}"
            })
    void what_is_no_job_is_refused(String body) throws IOException {
        var object = (ObjectNode) Json.mapper().readTree(body);

        assertThatThrownBy(() -> SlurmSubmission.of(object)).isInstanceOf(Refused.class);
    }

    private static JobSubmission job(String fields) throws Exception {
        return SlurmSubmission.of(
                (ObjectNode)
                        Json.mapper()
                                .readTree("{\"script\":\"#!/bin/sh\",\"job\":{" + fields + "}}"));
    }

    /// As generated clients send what they were not told.
    @Test
    void a_number_that_is_not_set_is_as_if_it_were_not_there() throws Exception {
        String unset = "{\"set\":false,\"infinite\":false,\"number\":0}";

        JobSubmission job =
                job(
                        "\"time_limit\":%1$s,\"priority\":%1$s,\"memory_per_node\":%1$s"
                                .formatted(unset));

        assertThat(job).isEqualTo(job(""));
        assertThat(job("\"time_limit\":{\"set\":true,\"number\":2}").timeLimitSeconds())
                .isEqualTo(120);
        assertThat(job("\"time_limit\":{\"number\":2}").timeLimitSeconds()).isEqualTo(120);
        assertThat(job("\"time_limit\":{\"set\":true,\"infinite\":true}").timeLimitSeconds())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "\"false\"", "0"})
    void a_choice_may_be_a_word_or_a_number(String no) throws Exception {
        assertThat(job("\"requeue\":" + no).requeue()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"hold\":\"yes\"",
                "\"contiguous\":[]",
                "\"oversubscribe\":{}",
                "\"environment\":\"A=1\"",
                "\"environment\":{\"A\":\"B=1\"}",
                "\"environment\":[1]",
                "\"required_nodes\":{\"a\":1}",
                "\"excluded_nodes\":[{\"a\":1}]"
            })
    void a_field_of_another_type_is_refused_and_not_left_out(String field) {
        assertThatThrownBy(() -> job(field)).isInstanceOf(Refused.class);
    }

    @Test
    void what_is_no_resource_of_a_node_is_refused() {
        assertThatThrownBy(() -> of("tres_per_node", "license/x:1"))
                .isInstanceOfSatisfying(
                        Refused.class,
                        it -> assertThat(it.refusal().detail()).contains("is not gres/gpu"));
    }

    @Test
    void several_jobs_are_components_of_one() throws Refused {
        var body = JsonNodeFactory.instance.objectNode().put("script", "#!/bin/sh\n");
        body.putArray("jobs").add(component(1)).add(component(8));

        JobSubmission job = SlurmSubmission.of(body);

        assertThat(job.tasks()).isEqualTo(1);
        assertThat(job.workingDirectory()).isEqualTo("/home/alice");
        assertThat(job.furtherComponents()).singleElement().returns(8, JobSubmission::tasks);
        assertThat(job.furtherComponents().getFirst().workingDirectory()).isNull();
    }

    private static ObjectNode component(int tasks) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("tasks", tasks)
                .put("current_working_directory", "/home/alice");
    }
}
