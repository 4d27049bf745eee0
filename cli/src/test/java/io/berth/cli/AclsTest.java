package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.contracts.topic.Access;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AclsTest {

    @TempDir Path folder = Path.of("");

    private static String script(String... words) {
        Outcome outcome = new CommandRun().run(words);
        assertThat(outcome.err()).isEmpty();
        return outcome.out();
    }

    /// The calls that a script makes of Kafka's tool, each with a bar before every word.
    private List<String> calls(String script) throws Exception {
        Path tool = Files.writeString(folder.resolve("acls"), "printf '|%s' \"$@\"; echo\n");
        Path file = Files.writeString(folder.resolve("script"), script);
        var shell = new ProcessBuilder("sh", file.toString(), "--bootstrap-server", "kafka 1:9093");
        shell.environment().put("KAFKA_ACLS", wrapped(tool).toString());
        Process process = shell.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.lines().toList();
    }

    private Path wrapped(Path tool) throws IOException {
        Path program = Files.writeString(folder.resolve("tool"), "#!/bin/sh\n. " + tool + "\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        return program;
    }

    @Test
    void the_script_gives_kafkas_tool_every_rule_and_no_other() throws Exception {
        var given = new ArrayList<String>();
        for (String call : calls(script("acls", "--principal", "User:CN={},O=o'clock"))) {
            assertThat(call)
                    .startsWith(
                            "|--bootstrap-server|kafka 1:9093|--add|--allow-principal|User:CN=");
            given.addAll(rules(call));
        }

        var expected = new ArrayList<String>();
        for (Access access : Access.all()) {
            for (var rule : access.rules()) {
                expected.add(
                        "User:CN=%s,O=o'clock %s%s %s %s"
                                .formatted(
                                        access.client(),
                                        rule.resource(),
                                        rule.prefixed() ? " prefixed" : "",
                                        rule.name(),
                                        rule.operations()));
            }
        }
        assertThat(given).containsExactlyInAnyOrderElementsOf(expected);
    }

    private static List<String> rules(String call) {
        List<String> words = List.of(call.split("\\|"));
        String principal = words.get(words.indexOf("--allow-principal") + 1);
        boolean prefixed = words.contains("--resource-pattern-type");
        var operations = new ArrayList<String>();
        var rules = new ArrayList<String>();
        for (int i = 1; i < words.size(); i++) {
            String value = words.get(i);
            switch (words.get(i - 1)) {
                case "--operation" -> operations.add(value.toUpperCase(Locale.ROOT));
                case "--topic", "--group", "--transactional-id" ->
                        rules.add(
                                "%s %s%s %s %s"
                                        .formatted(
                                                principal,
                                                words.get(i - 1)
                                                        .substring(2)
                                                        .replace('-', '_')
                                                        .toUpperCase(Locale.ROOT),
                                                prefixed ? " prefixed" : "",
                                                value,
                                                operations));
                case "--resource-pattern-type" -> assertThat(value).isEqualTo("prefixed");
                default -> {}
            }
        }
        return rules;
    }

    @Test
    void clients_are_named_by_their_certificates_unless_told_otherwise() {
        assertThat(script("acls")).contains("--allow-principal 'User:CN=berth-agent' ");
        assertThat(script("acls", "--principal=User:{}"))
                .contains("--allow-principal 'User:berth-agent' ");
    }

    @Test
    void the_users_of_the_kubernetes_base_are_made_by_it() throws IOException {
        assertThat(Files.readString(Path.of("../k8s/kafka-users.yaml")))
                .isEqualTo(script("acls", "--strimzi", "berth"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--principal=User:all | --principal=User:all: it is a kind and a name with {} in it, such as User:CN={} or User:{}",
                "--principal={}       | --principal={}: it is a kind and a name with {} in it, such as User:CN={} or User:{}",
                "--strimzi=My_Kafka   | --strimzi=My_Kafka: no name of a resource",
                "agent                | 'agent': it takes options alone"
            })
    void what_cannot_be_is_refused(String word, String why) {
        Outcome outcome = new CommandRun().run("acls", word);

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).isEqualTo("acls: error: " + why + "\n");
    }

    @Test
    void strimzi_names_the_users_itself() {
        assertThat(new CommandRun().run("acls", "--strimzi=berth", "--principal=User:{}").err())
                .isEqualTo("acls: error: Strimzi names the users itself: no --principal\n");
    }
}
