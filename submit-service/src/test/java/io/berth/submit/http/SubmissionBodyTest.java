package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.submit.Refusal;
import io.berth.submit.Refused;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZonedDateTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SubmissionBodyTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    ``                                       | the body is not a job
                    {                                        | the body is not JSON: Unexpected end-of-input: expected close marker for Object (line 1
                    {"script":"#!/bin/sh","nodes":}          | (line 1, column 31)
                    {"script":"#!/bin/sh"} x                 | the body is not JSON
                    null                                     | the body is not a job
                    []                                       | the body is not a job
                    "#!/bin/sh"                              | the body is not a job
                    {}                                       | field 'script' is missing
                    {"script":null}                          | field 'script' is missing
                    {"script":1}                             | field 'script' is not a text
                    {"script":"#!/bin/sh","nodes":"2"}       | field 'nodes' is not a whole number
                    {"script":"#!/bin/sh","nodes":1.5}       | field 'nodes' is not a whole number
                    {"script":"#!/bin/sh","nodes":99999999999} | field 'nodes': Numeric value (99999999999) out of range (-2147483648 - 2147483647)
                    {"script":"#!/bin/sh","terms":5}         | field 'terms' is not an object
                    {"script":"#!/bin/sh","components":{}}   | field 'components' is not a list
                    {"script":"#!/bin/sh","nodes":{}}        | field 'nodes' is not a whole number
                    {"script":"#!/bin/sh","requeue":"yes"}   | field 'requeue' is not true or false
                    {"script":"#!/bin/sh","requeue":1}       | field 'requeue' is not true or false
                    {"script":"#!/bin/sh","name":17}         | field 'name' is not a text
                    {"script":"#!/bin/sh","name":true}       | field 'name' is not a text
                    {"script":"#!/bin/sh","arguments":"a"}   | field 'arguments' is not a list
                    {"script":"#!/bin/sh","arguments":[null]} | field 'arguments': null is no value
                    {"script":"#!/bin/sh","environment":{"A":null}} | null is no value
                    {"script":"#!/bin/sh","components":[null]} | field 'components': null is no value
                    {"script":"#!/bin/sh","environment":[]}  | field 'environment' is not an object of texts
                    {"script":"#!/bin/sh","launch":"BOTH"}   | field 'launch' is not one of BATCH, PER_NODE
                    {"script":"#!/bin/sh","launch":0}        | field 'launch' is not one of BATCH, PER_NODE
                    {"script":"#!/bin/sh","gpu":1}           | unknown field 'gpu'; there are: script, arguments
                    {"script":"#!/bin/sh","script":"x"}      | script
                    """)
    void what_is_no_submission_is_refused_with_the_field_that_is_wrong(
            String json, String because) {
        assertThatThrownBy(() -> SubmissionBody.json(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOfSatisfying(
                        Refused.class,
                        it -> assertThat(it.refusal()).isInstanceOf(Refusal.InvalidJson.class))
                .message()
                .contains(because)
                .doesNotContain("\n")
                .doesNotContain("io.berth");
    }

    @Test
    void fields_that_are_left_out_are_not_there() throws Refused {
        var asked =
                SubmissionBody.json("{\"script\":\"#!/bin/sh\"}".getBytes(StandardCharsets.UTF_8));

        assertThat(asked.nodes()).isNull();
        assertThat(asked.environment()).isNull();
    }

    @Test
    void directives_of_a_script_are_read() throws Refused {
        byte[] script =
                """
                #!/bin/sh
                #SBATCH --job-name=train --gpus=2
                #SBATCH -t 10
                hostname
                """
                        .getBytes(StandardCharsets.UTF_8);

        var asked = SubmissionBody.script(script, "carol", ZonedDateTime::now);

        assertThat(asked.name()).isEqualTo("train");
        assertThat(asked.gpus()).isEqualTo(2);
        assertThat(asked.timeLimitSeconds()).isEqualTo(600);
        assertThat(asked.user()).isEqualTo("carol");
    }

    @Test
    void a_body_longer_than_allowed_is_not_read_to_its_end() {
        InputStream endless =
                new InputStream() {
                    @Override
                    public int read() {
                        return 'x';
                    }
                };

        assertThatThrownBy(() -> SubmissionBody.bytes(endless, Duration.ofMinutes(1)))
                .isInstanceOfSatisfying(
                        Refused.class,
                        it -> assertThat(it.refusal()).isInstanceOf(Refusal.ScriptTooLarge.class));
    }

    @Test
    void a_body_that_breaks_off_is_given_up() {
        InputStream broken =
                new InputStream() {
                    @Override
                    public int read() throws IOException {
                        throw new IOException("reset");
                    }
                };

        assertThatThrownBy(() -> SubmissionBody.bytes(broken, Duration.ofMinutes(1)))
                .isInstanceOf(BodyNotReceived.class)
                .hasRootCauseMessage("reset");
    }

    @Test
    void a_body_that_takes_too_long_is_given_up() {
        var body = new ByteArrayInputStream(new byte[100]);

        assertThatThrownBy(() -> SubmissionBody.bytes(body, Duration.ofNanos(1)))
                .isInstanceOf(BodyNotReceived.class);
    }
}
