package io.berth.contracts.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecurringTextsTest {

    private record Person(String user, List<String> groups) {}

    @Test
    void equal_names_in_two_records_are_one_object() throws JsonProcessingException {
        Person first = person("alice", "team");

        Person second = person("alice", "team");

        assertThat(second.user()).isSameAs(first.user());
        assertThat(second.groups().getFirst()).isSameAs(first.groups().getFirst());
    }

    @Test
    void any_number_of_different_texts_is_read_as_it_is_written() throws JsonProcessingException {
        for (int i = 0; i < 20_000; i++) {
            assertThat(person("user" + i, "x").user()).isEqualTo("user" + i);
        }
    }

    @Test
    void equal_hashes_of_contents_are_one_object() throws JsonProcessingException {
        String hash = "0f".repeat(32);

        assertThat(person(hash, "x").user()).isSameAs(person(hash, "y").user());
    }

    @Test
    void a_long_text_takes_no_place() throws JsonProcessingException {
        String script = "x".repeat(49);

        Person first = person(script, "x");

        assertThat(first.user()).isEqualTo(script).isNotSameAs(person(script, "x").user());
    }

    private static Person person(String user, String group) throws JsonProcessingException {
        return Json.mapper()
                .readValue(
                        "{\"user\":\"%s\",\"groups\":[\"%s\"]}".formatted(user, group),
                        Person.class);
    }
}
