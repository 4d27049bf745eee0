package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.contracts.topic.Access;
import io.berth.contracts.topic.Access.Operation;
import io.berth.contracts.topic.Access.Resource;
import io.berth.contracts.topic.Access.Rule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// `berth acls`: Kafka's access rules for the services, for Kafka's own tool or for Strimzi. It
/// asks no broker, and needs no right on one.
final class Acls implements Command {

    /// Where the client's name goes in a principal.
    private static final String NAME = "{}";

    /// As Kafka names who has a certificate of `certify.sh` or of Strimzi.
    private static final String BY_CERTIFICATE = "User:CN=" + NAME;

    private static final List<CliOption> OPTIONS =
            List.of(
                    flag("help", 'h', "this text"),
                    valued(
                            "principal",
                            '\0',
                            "how Kafka names a client, with {} for berth-submit and so on; User:CN={} if not given"),
                    valued("strimzi", '\0', "as KafkaUser resources for the Kafka of that name"),
                    flag("version", 'V', "Berth's version"));

    private static final String HEAD =
            """
            #!/bin/sh
            # What each of Berth's services may do on Kafka, and no more. Its arguments go to kafka-acls.sh, or what KAFKA_ACLS names:
            #   berth acls | sh -s -- --bootstrap-server kafka1:9093 --command-config admin.properties
            set -eu

            """;

    /// What one call of Kafka's tool, or one resource of Strimzi's, says of several names.
    private record Kind(Resource resource, boolean prefixed, List<Operation> operations) {}

    @Override
    public String synopsis() {
        return "acls [--principal USER | --strimzi KAFKA]: Kafka's access rules for the services";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        String kafka = words.value("strimzi");
        String principal = words.value("principal");
        if (!words.operands().isEmpty()) {
            throw CommandFailure.error(
                    "acls", "'" + words.operands().getFirst() + "': it takes options alone");
        }
        if (kafka != null && principal != null) {
            throw CommandFailure.error("acls", "Strimzi names the users itself: no --principal");
        }
        terminal.out().print(kafka == null ? script(principal) : users(kafka));
        return 0;
    }

    private static String script(@Nullable String given) throws CommandFailure {
        String principal = given == null ? BY_CERTIFICATE : given;
        if (!principal.matches("[A-Za-z]+:.*\\{\\}.*") || principal.contains("\n")) {
            throw CommandFailure.error(
                    "acls",
                    "--principal="
                            + principal
                            + ": it is a kind and a name with {} in it, such as User:CN={} or User:{}");
        }
        return HEAD
                + Access.all().stream()
                        .flatMap(it -> calls(principal.replace(NAME, it.client()), it))
                        .collect(Collectors.joining("\n", "", "\n"));
    }

    private static Stream<String> calls(String principal, Access access) {
        return kinds(access).entrySet().stream()
                .map(it -> call(principal, it.getKey(), it.getValue()));
    }

    private static String call(String principal, Kind kind, List<String> names) {
        String option = "--" + kind.resource().name().toLowerCase(Locale.ROOT).replace('_', '-');
        return "\"${KAFKA_ACLS:-kafka-acls.sh}\" \"$@\" --add --allow-principal "
                + quoted(principal)
                + kind.operations().stream()
                        .map(it -> " --operation " + word(it))
                        .collect(Collectors.joining())
                + (kind.prefixed() ? " --resource-pattern-type prefixed" : "")
                + names.stream().map(it -> " " + option + " " + it).collect(Collectors.joining());
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    private static String users(String kafka) throws CommandFailure {
        if (!kafka.matches("[a-z0-9]([a-z0-9.-]*[a-z0-9])?")) {
            throw CommandFailure.error("acls", "--strimzi=" + kafka + ": no name of a resource");
        }
        return "# Made by: berth acls --strimzi "
                + kafka
                + "\n"
                + Access.all().stream()
                        .map(it -> user(kafka, it))
                        .collect(Collectors.joining("---\n"));
    }

    private static String user(String kafka, Access access) {
        var text = new StringBuilder();
        text.append(
                """
                apiVersion: kafka.strimzi.io/v1beta2
                kind: KafkaUser
                metadata:
                  name: %s
                  labels:
                    strimzi.io/cluster: %s
                spec:
                  authentication:
                    type: tls
                  authorization:
                    type: simple
                    acls:
                """
                        .formatted(access.client(), kafka));
        for (Rule rule : access.rules()) {
            text.append(
                    """
                          - resource: {type: %s, name: %s%s}
                            operations: [%s]
                    """
                            .formatted(
                                    type(rule.resource()),
                                    rule.name(),
                                    rule.prefixed() ? ", patternType: prefix" : "",
                                    rule.operations().stream()
                                            .map(Acls::word)
                                            .collect(Collectors.joining(", "))));
        }
        return text.toString();
    }

    private static String type(Resource resource) {
        return switch (resource) {
            case TOPIC -> "topic";
            case GROUP -> "group";
            case TRANSACTIONAL_ID -> "transactionalId";
        };
    }

    /// The operation as Kafka's tool and Strimzi write it.
    private static String word(Operation operation) {
        return switch (operation) {
            case CREATE -> "Create";
            case READ -> "Read";
            case WRITE -> "Write";
        };
    }

    private static Map<Kind, List<String>> kinds(Access access) {
        return access.rules().stream()
                .collect(
                        Collectors.groupingBy(
                                it -> new Kind(it.resource(), it.prefixed(), it.operations()),
                                LinkedHashMap::new,
                                Collectors.mapping(Rule::name, Collectors.toList())));
    }
}
