package io.berth.contracts.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.topic.Access.Operation;
import io.berth.contracts.topic.Access.Resource;
import io.berth.contracts.topic.Access.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class AccessTest {

    private static List<String> clients(Topic<?> topic, Operation operation) {
        return Access.all().stream()
                .filter(it ->
                        it.rules().stream()
                                .anyMatch(rule ->
                                        rule.name().equals(topic.name())
                                                && rule.operations().contains(operation)))
                .map(Access::client)
                .toList();
    }

    @Test
    void one_service_makes_and_writes_a_topic() {
        for (Topic<?> topic : Topics.all()) {
            String module = topic.writer();
            String client = "berth-" + module.replace("-service", "").replace("node-", "");
            assertThat(clients(topic, Operation.WRITE)).as(topic.name()).containsExactly(client);
            assertThat(clients(topic, Operation.CREATE)).as(topic.name()).containsExactly(client);
        }
    }

    @Test
    void scripts_and_what_starts_something_in_a_job_are_read_where_they_must_be() {
        assertThat(clients(Topics.SPECS, Operation.READ))
                .containsExactly("berth-submit", "berth-agent");
        assertThat(clients(Topics.STEP_REQUESTS, Operation.READ)).containsExactly("berth-agent");
        assertThat(clients(Topics.OUTPUT_REQUESTS, Operation.READ)).containsExactly("berth-agent");
        assertThat(clients(Topics.PLACEMENTS, Operation.READ)).containsExactly("berth-agent");
    }

    @Test
    void those_who_are_elected_make_the_topic_of_elections_and_nobody_writes_it() {
        assertThat(clients(Topics.ELECTIONS, Operation.CREATE))
                .containsExactly("berth-submit", "berth-priority", "berth-placement");
        assertThat(clients(Topics.ELECTIONS, Operation.WRITE)).isEmpty();
    }

    @Test
    void a_star_stands_for_all_names_that_begin_so() {
        assertThat(Access.PLACEMENT.rules())
                .contains(
                        new Rule(Resource.GROUP, "berth-placement-", true, List.of(Operation.READ)),
                        new Rule(
                                Resource.TRANSACTIONAL_ID,
                                "berth-placement-",
                                true,
                                List.of(Operation.WRITE)));
        assertThat(Access.SUBMIT.rules())
                .contains(new Rule(Resource.GROUP, "berth-mail", false, List.of(Operation.READ)));
    }

    @Test
    void the_page_of_events_says_the_same() throws IOException {
        var table = new StringBuilder("| client | writes | reads | groups | transactional ids |\n");
        table.append("|---|---|---|---|---|\n");
        for (Access it : Access.all()) {
            table.append(
                    "| `%s` | %s | %s | %s | %s |\n"
                            .formatted(
                                    it.client(),
                                    topics(it.writes()),
                                    topics(it.reads()),
                                    names(it.groups()),
                                    names(it.transactions())));
        }

        assertThat(Files.readString(Path.of("../docs/events.md"))).contains(table);
    }

    private static String topics(List<Topic<?>> topics) {
        return names(
                topics.stream().map(it -> it.name().replaceAll("^berth\\.|\\.v1$", "")).toList());
    }

    private static String names(List<String> names) {
        return names.stream().map(it -> "`" + it + "`").collect(Collectors.joining(", "));
    }
}
