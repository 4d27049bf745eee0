package io.berth.standalone.ship;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion.VersionFlag;
import io.berth.contracts.json.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The compose file is a whole mesh: what it refers to is there, and what it sets is a setting.
class ComposeTest {

    /// The schema of the [Compose specification](https://github.com/compose-spec/compose-spec),
    /// which is under the Apache License 2.0, as the package `dclint` 3.1.0 of npm has it.
    private static final JsonSchema SPECIFICATION =
            JsonSchemaFactory.getInstance(VersionFlag.V7)
                    .getSchema(SchemaLocation.of("classpath:/compose-spec.json"));

    private static final Pattern NAMED_VOLUME = Pattern.compile("([a-z]+):/.*");

    private final JsonNode compose =
            Json.mapper().valueToTree(Checkout.yaml("docker-compose.yml").getFirst());
    private final JsonNode services = compose.path("services");

    private static List<String> names(JsonNode node) {
        var names = new ArrayList<String>();
        node.fieldNames().forEachRemaining(names::add);
        return names;
    }

    private static List<String> texts(JsonNode array) {
        var texts = new ArrayList<String>();
        array.forEach(it -> texts.add(it.asText()));
        return texts;
    }

    @Test
    void it_is_as_the_specification_has_it() {
        assertThat(SPECIFICATION.validate(compose)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"/services/kafka, imgae", "/services/kafka/healthcheck, tset", "'', servcies"})
    void a_field_that_the_specification_does_not_have_is_noticed(String path, String field) {
        JsonNode changed = compose.deepCopy();
        ((ObjectNode) changed.at(path)).put(field, "x");

        assertThat(SPECIFICATION.validate(changed)).isNotEmpty();
    }

    @Test
    void every_service_of_the_mesh_is_in_it_and_built_from_its_own_folder() {
        var built = new TreeSet<String>();
        services.forEach(it -> {
            if (it.has("build")) {
                String module = it.path("build").asText();
                built.add(module);
                assertThat(it.path("image").asText()).startsWith("berth/" + module + ":");
                assertThat(Checkout.ROOT.resolve(module).resolve("Dockerfile")).exists();
            }
        });

        assertThat(built).containsExactlyInAnyOrderElementsOf(Checkout.SERVICES);
    }

    @Test
    void every_image_is_pinned() {
        services.forEach(it ->
                assertThat(it.path("image").asText()).matches("[\\w./-]+:\\d+\\.\\d+[\\w.-]*"));
    }

    @Test
    void who_is_waited_for_is_there_and_says_when_it_is_healthy() {
        services.forEach(service ->
                names(service.path("depends_on"))
                        .forEach(name -> {
                            assertThat(names(services)).contains(name);
                            assertThat(
                                            service.path("depends_on")
                                                    .path(name)
                                                    .path("condition")
                                                    .asText())
                                    .isEqualTo("service_healthy");
                            assertThat(saysWhenHealthy(services.path(name)))
                                    .as("health check of " + name)
                                    .isTrue();
                        }));
    }

    private static boolean saysWhenHealthy(JsonNode service) {
        return service.has("build")
                ? Checkout.read(service.path("build").asText() + "/Dockerfile")
                        .contains("\nHEALTHCHECK ")
                : !service.path("healthcheck").path("test").isEmpty();
    }

    @Test
    void what_a_service_is_told_is_a_setting_of_it() {
        var unknown = new TreeMap<String, Set<String>>();
        services.properties()
                .forEach(entry -> {
                    if (entry.getValue().has("build")) {
                        var variables = new TreeSet<>(names(entry.getValue().path("environment")));
                        variables.removeAll(
                                Checkout.variables(entry.getValue().path("build").asText()));
                        if (!variables.isEmpty()) {
                            unknown.put(entry.getKey(), variables);
                        }
                    }
                });

        assertThat(unknown).isEmpty();
    }

    @Test
    void only_this_machine_reaches_its_ports_and_they_are_those_of_the_services() {
        services.forEach(service ->
                texts(service.path("ports"))
                        .forEach(port -> {
                            int inside = Checkout.port(service.path("build").asText());
                            assertThat(port).isEqualTo("127.0.0.1:%1$d:%1$d".formatted(inside));
                        }));
    }

    @Test
    void every_named_volume_is_declared_and_used() {
        var used = new TreeSet<String>();
        services.forEach(service ->
                service.path("volumes")
                        .forEach(volume -> {
                            var named = NAMED_VOLUME.matcher(volume.asText());
                            if (volume.has("source")) {
                                used.add(volume.path("source").asText());
                            } else if (named.matches()) {
                                used.add(named.group(1));
                            }
                        }));

        assertThat(used).containsExactlyInAnyOrderElementsOf(names(compose.path("volumes")));
    }

    @Test
    void addresses_name_services_of_the_mesh() {
        assertThat(environment("submit", "KAFKA_BOOTSTRAP_SERVERS")).isEqualTo("kafka:9092");
        assertThat(environment("kafka", "KAFKA_ADVERTISED_LISTENERS"))
                .isEqualTo("PLAINTEXT://kafka:9092");
        assertThat(environment("accounting", "QUARKUS_DATASOURCE_JDBC_URL"))
                .isEqualTo(
                        "jdbc:postgresql://postgres:5432/"
                                + environment("postgres", "POSTGRES_DB"));
        assertThat(environment("accounting", "QUARKUS_DATASOURCE_USERNAME"))
                .isEqualTo(environment("postgres", "POSTGRES_USER"));
    }

    @Test
    void the_agent_obeys_signed_orders_alone_and_runs_scripts_as_their_users() {
        Path key = Path.of(environment("placement", "BERTH_PLACEMENT_SIGNING_KEY"));
        JsonNode keys = JsonNodeFactory.instance.missingNode();
        for (JsonNode volume : services.path("agent").path("volumes")) {
            if (volume.path("target")
                    .asText()
                    .equals(environment("agent", "BERTH_AGENT_PLACEMENT_KEYS"))) {
                keys = volume;
            }
        }

        assertThat(environment("agent", "BERTH_AGENT_RUN_AS")).isEqualTo("user");
        assertThat(keys.path("volume").path("subpath").asText()).isEqualTo("placement-keys");
        assertThat(keys.path("read_only").asBoolean()).isTrue();
        assertThat(texts(services.path("placement").path("volumes")))
                .containsExactly(keys.path("source").asText() + ":" + key.getParent());
    }

    @Test
    void a_dead_leader_can_be_noticed_in_time() {
        assertThat(environment("kafka", "KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS")).isEqualTo("1000");
        assertThat(services.path("placement").path("deploy").path("replicas").asInt()).isEqualTo(2);
    }

    private String environment(String service, String variable) {
        JsonNode value = services.path(service).path("environment").path(variable);
        assertThat(value.isMissingNode()).as(service + " " + variable).isFalse();
        return value.asText();
    }
}
