package io.berth.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.logging.Level;
import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.Test;

final class LogFieldsTest {

    private static Map<String, String> fields(String message) {
        var record = new ExtLogRecord(Level.INFO, message, LogFieldsTest.class.getName());
        assertThat(new LogFields().isLoggable(record)).isTrue();
        assertThat(record.getMessage()).isEqualTo(message);
        return record.getMdcCopy();
    }

    @Test
    void a_run_tells_its_job() {
        assertThat(fields("run=17.2 node=n1 Run adopted"))
                .isEqualTo(Map.of("run", "17.2", "job", "17", "node", "n1"));
    }

    @Test
    void what_may_have_spaces_and_what_comes_after_it_makes_no_field() {
        assertThat(fields("node=n1 cause=java.io.IOException: no run=3.1 here Not written"))
                .isEqualTo(Map.of("node", "n1"));
    }

    @Test
    void a_message_without_keys_has_no_fields() {
        assertThat(fields("The books wait: node=n1 is away")).isEmpty();
        assertThat(fields("")).isEmpty();
    }
}
