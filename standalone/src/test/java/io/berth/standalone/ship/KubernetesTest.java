package io.berth.standalone.ship;

import static io.berth.standalone.ship.Manifests.name;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The Kubernetes base is well-formed, and what its objects refer to is there.
class KubernetesTest {

    private static final Map<String, String> MODULES =
            Map.of(
                    "submit", "submit-service",
                    "priority", "priority-service",
                    "placement", "placement-service",
                    "accounting", "accounting-service",
                    "agent", "node-agent");

    private static final String NAME = "app.kubernetes.io/name";

    private final JsonNode kustomization =
            Json.mapper().valueToTree(Checkout.yaml("k8s/kustomization.yaml").getFirst());
    private final Manifests manifests = new Manifests(texts(kustomization.path("resources")));

    private static String module(JsonNode workload) {
        return Objects.requireNonNull(MODULES.get(name(workload)), () -> name(workload));
    }

    private static List<String> texts(JsonNode array) {
        var texts = new ArrayList<String>();
        array.forEach(it -> texts.add(it.asText()));
        return texts;
    }

    private static Stream<JsonNode> stream(JsonNode array) {
        var nodes = new ArrayList<JsonNode>();
        array.forEach(nodes::add);
        return nodes.stream();
    }

    private static JsonNode pod(JsonNode workload) {
        return workload.path("spec").path("template");
    }

    private static JsonNode container(JsonNode workload) {
        JsonNode containers = pod(workload).path("spec").path("containers");
        assertThat(containers).hasSize(1);
        return containers.path(0);
    }

    @Test
    void every_object_is_as_its_api_has_it() {
        assertThat(manifests.all()).isNotEmpty().allSatisfy(Manifests::check);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/spec/replica", "/spec/template/spec/hostPid"})
    void a_field_that_the_api_does_not_have_is_noticed(String path) {
        ObjectNode deployment = manifests.all("Deployment").getFirst().deepCopy();
        int end = path.lastIndexOf('/');
        ((ObjectNode) deployment.at(path.substring(0, end))).put(path.substring(end + 1), 1);

        assertThatThrownBy(() -> Manifests.check(deployment))
                .hasMessageContaining("Unrecognized field");
    }

    @ParameterizedTest
    @CsvSource({
        "Deployment, /spec, selector",
        "Deployment, /spec/template/spec/containers/0, name",
        "Deployment, /spec/template/spec/topologySpreadConstraints/0, maxSkew",
        "Service, /spec/ports/0, port",
        "DaemonSet, /spec, template"
    })
    void a_field_that_the_api_requires_is_missed(String kind, String path, String field) {
        ObjectNode object = manifests.all(kind).getFirst().deepCopy();
        assertThat(((ObjectNode) object.at(path)).remove(field)).isNotNull();

        assertThatThrownBy(() -> Manifests.check(object))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("The required field `" + field + "` is not found");
    }

    @ParameterizedTest
    @CsvSource({
        "Cluster, /instances, \"3\"",
        "Cluster, /storage/siez, \"20Gi\"",
        "Cluster, /bootstrap/initdb/database, 1",
        "ScaledObject, /minReplicas, 2",
        "ScaledObject, /maxReplicaCount, \"8\"",
        "ScaledObject, /triggers/0/metadata/threshold, 400",
        "ScaledObject, /triggers/1/metricType, \"Percent\""
    })
    void a_value_that_a_custom_resource_does_not_have_is_noticed(
            String kind, String path, String value) throws IOException {
        ObjectNode object = manifests.all(kind).getFirst().deepCopy();
        int end = path.lastIndexOf('/');
        ((ObjectNode) object.path("spec").at(path.substring(0, end)))
                .set(path.substring(end + 1), Json.mapper().readTree(value));

        assertThatThrownBy(() -> Manifests.check(object))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(kind);
    }

    @Test
    void every_file_of_the_base_is_listed() throws IOException {
        var listed = new TreeSet<>(texts(kustomization.path("resources")));
        listed.add("kustomization.yaml");
        kustomization
                .path("configMapGenerator")
                .forEach(map -> {
                    listed.addAll(texts(map.path("envs")));
                    listed.addAll(texts(map.path("files")));
                });
        try (Stream<Path> files = Files.list(Checkout.ROOT.resolve("k8s"))) {
            assertThat(files.map(it -> it.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(listed);
        }
    }

    @Test
    void every_service_runs_from_the_image_that_its_dockerfile_makes() {
        var images = new HashMap<String, String>();
        manifests
                .workloads()
                .forEach(it -> images.put(name(it), container(it).path("image").asText()));

        var expected = new HashMap<String, String>();
        MODULES.forEach((name, module) -> expected.put(name, "berth/" + module + ":0.1.0"));
        assertThat(images).isEqualTo(expected);
    }

    @Test
    void what_a_service_is_told_is_a_setting_of_it() {
        for (JsonNode workload : manifests.workloads()) {
            String values = container(workload).path("env").findValuesAsText("value").toString();
            assertThat(
                            stream(container(workload).path("env"))
                                    .map(it -> it.path("name").asText())
                                    // One that only another one is made of.
                                    .filter(it -> !values.contains("$(" + it + ")")))
                    .as(name(workload))
                    .isSubsetOf(Checkout.variables(module(workload)));
            assertThat(container(workload).path("envFrom").at("/0/configMapRef/name").asText())
                    .isEqualTo("berth");
        }
        assertThat(
                        Checkout.read("k8s/berth.env")
                                .lines()
                                .map(it -> it.substring(0, it.indexOf('='))))
                .isSubsetOf(Checkout.variables());
    }

    @Test
    void containers_listen_and_are_probed_where_their_service_is() {
        for (JsonNode workload : manifests.workloads()) {
            JsonNode container = container(workload);
            assertThat(container.at("/ports/0/containerPort").asInt())
                    .isEqualTo(Checkout.port(module(workload)));
            // Who restarts the agent's container ends its node's runs.
            boolean restarted = !name(workload).equals("agent");
            assertThat(container.has("livenessProbe")).isEqualTo(restarted);
            for (String probe :
                    restarted
                            ? List.of("readinessProbe", "livenessProbe")
                            : List.of("readinessProbe")) {
                JsonNode http = container.path(probe).path("httpGet");
                boolean named =
                        http.path("port").asText().equals(container.at("/ports/0/name").asText());
                assertThat(named || container.path(probe).path("exec").toString().contains("/7604"))
                        .as(name(workload) + " " + probe)
                        .isTrue();
            }
        }
    }

    @Test
    void every_mounted_volume_is_declared_and_every_declared_one_mounted() {
        for (JsonNode workload : manifests.workloads()) {
            assertThat(names(container(workload).path("volumeMounts")))
                    .as(name(workload))
                    .containsExactlyInAnyOrderElementsOf(
                            names(pod(workload).path("spec").path("volumes")));
        }
    }

    @Test
    void config_maps_and_secrets_that_are_used_are_made_or_documented() {
        Set<String> generated = names(kustomization.path("configMapGenerator"));
        Set<String> maps = new TreeSet<>();
        Set<String> secrets = new TreeSet<>();
        manifests
                .workloads()
                .forEach(workload -> {
                    workload.findValues("configMapRef")
                            .forEach(it -> maps.add(it.path("name").asText()));
                    workload.findValues("configMap")
                            .forEach(it -> maps.add(it.path("name").asText()));
                    workload.findValues("secretKeyRef")
                            .forEach(it -> secrets.add(it.path("name").asText()));
                    workload.findValues("secretName").forEach(it -> secrets.add(it.asText()));
                });

        generated.add("berth-placement-keys");
        generated.remove("berth-dashboard"); // Grafana's sidecar reads it.
        assertThat(maps).isEqualTo(generated);
        assertThat(secrets)
                .containsExactlyInAnyOrder(
                        "berth-token-key",
                        "berth-placement-key",
                        postgres() + "-app",
                        postgres() + "-ca",
                        kafka() + "-cluster-ca-cert",
                        "berth-submit",
                        "berth-priority",
                        "berth-placement",
                        "berth-accounting",
                        "berth-agent");
        assertThat(Checkout.read("docs/deploy.md"))
                .contains("create secret generic berth-token-key")
                .contains("create secret generic berth-placement-key")
                .contains("create configmap berth-placement-keys");
    }

    @Test
    void selectors_select_pods_that_there_are() {
        Set<String> pods =
                manifests.workloads().stream()
                        .map(it -> pod(it).at("/metadata/labels").path(NAME).asText())
                        .collect(Collectors.toSet());
        var selected = new ArrayList<String>();
        manifests
                .workloads()
                .forEach(it ->
                        selected.add(it.at("/spec/selector/matchLabels").path(NAME).asText()));
        manifests
                .all("Service")
                .forEach(it -> selected.add(it.at("/spec/selector").path(NAME).asText()));
        manifests
                .all("PodDisruptionBudget")
                .forEach(it ->
                        selected.add(it.at("/spec/selector/matchLabels").path(NAME).asText()));
        manifests
                .all("NetworkPolicy")
                .forEach(it -> {
                    it.findValues("values").forEach(values -> selected.addAll(texts(values)));
                    it.findValues(NAME).forEach(value -> selected.add(value.asText()));
                });

        assertThat(selected).isNotEmpty().isSubsetOf(pods);
    }

    @Test
    void every_deployment_has_a_service_and_a_disruption_budget() {
        Set<String> deployments = names(manifests.all("Deployment"));

        assertThat(names(services(false))).isEqualTo(deployments);
        assertThat(names(manifests.all("PodDisruptionBudget"))).isEqualTo(deployments);
    }

    /// @param headless whether their names stand for the pods themselves
    private List<JsonNode> services(boolean headless) {
        return manifests.all("Service").stream()
                .filter(it -> it.at("/spec/clusterIP").asText().equals("None") == headless)
                .toList();
    }

    @Test
    void gateways_find_each_other_and_nodes_come_to_any() {
        JsonNode peers = services(true).getFirst();
        int port = peers.at("/spec/ports/0/port").asInt();

        assertThat(peers.at("/spec/publishNotReadyAddresses").asBoolean()).isTrue();
        assertThat(peers.at("/spec/selector").path(NAME).asText()).isEqualTo("submit");
        assertThat(Checkout.read("k8s/submit.yaml"))
                .contains(
                        "value: http://%s:%d\n"
                                .formatted(peers.at("/metadata/name").asText(), port))
                .contains("value: ws://$(SUBMIT_SERVICE_HOST):%d\n".formatted(port));
        assertThat(manifests.all("NetworkPolicy"))
                .anySatisfy(it -> {
                    assertThat(it.at("/spec/podSelector/matchLabels").path(NAME).asText())
                            .isEqualTo("submit");
                    JsonNode to = it.at("/spec/egress/0");
                    assertThat(to.at("/to/0/podSelector/matchLabels").path(NAME).asText())
                            .isEqualTo("submit");
                    assertThat(to.at("/ports/0/port").asInt()).isEqualTo(port);
                });
    }

    @Test
    void network_policies_name_the_kafka_and_the_postgres_that_there_are() {
        for (JsonNode policy : manifests.all("NetworkPolicy")) {
            policy.findValues("strimzi.io/cluster")
                    .forEach(it -> assertThat(it.asText()).isEqualTo(kafka()));
            policy.findValues("cnpg.io/cluster")
                    .forEach(it -> assertThat(it.asText()).isEqualTo(postgres()));
        }
    }

    @Test
    void addresses_are_those_of_the_kafka_and_the_postgres_that_there_are() {
        JsonNode listener = manifests.all("Kafka").getFirst().at("/spec/kafka/listeners/0");
        String database =
                manifests.all("Cluster").getFirst().at("/spec/bootstrap/initdb/database").asText();

        assertThat(Checkout.read("k8s/berth.env"))
                .contains(
                        "KAFKA_BOOTSTRAP_SERVERS=%s-kafka-bootstrap:%d\n"
                                .formatted(kafka(), listener.path("port").asInt()));
        assertThat(Checkout.read("k8s/accounting.yaml"))
                .contains("jdbc:postgresql://%s-rw:5432/%s\n".formatted(postgres(), database))
                .contains("value: postgresql://%s-rw:5432/%s\n".formatted(postgres(), database));
    }

    @Test
    void kafka_takes_certificates_alone_and_does_what_its_rules_allow() {
        JsonNode kafka = manifests.all("Kafka").getFirst().path("spec");
        assertThat(kafka.at("/kafka/listeners"))
                .isNotEmpty()
                .allSatisfy(it -> {
                    assertThat(it.path("tls").asBoolean()).isTrue();
                    assertThat(it.at("/authentication/type").asText()).isEqualTo("tls");
                });
        assertThat(kafka.at("/kafka/authorization/type").asText()).isEqualTo("simple");
        assertThat(kafka.at("/kafka/authorization").has("superUsers")).isFalse();
        assertThat(kafka.path("entityOperator").has("userOperator")).isTrue();
        assertThat(manifests.all("KafkaUser"))
                .allSatisfy(it -> {
                    assertThat(it.at("/metadata/labels").path("strimzi.io/cluster").asText())
                            .isEqualTo(kafka());
                });
    }

    @Test
    void every_service_shows_kafka_the_certificate_of_its_own_user() {
        Set<String> users = names(manifests.all("KafkaUser"));
        for (JsonNode workload : manifests.workloads()) {
            JsonNode spec = pod(workload).path("spec");
            JsonNode secret = volume(spec, "kafka").path("secret");
            boolean agent = name(workload).equals("agent");
            assertThat(users).contains("berth-" + name(workload));
            assertThat(secret.path("secretName").asText()).isEqualTo("berth-" + name(workload));
            // Root's alone, where users' processes are; else their group's, which is the service's.
            assertThat(secret.path("defaultMode").asInt()).isEqualTo(agent ? 0400 : 0440);
            assertThat(spec.at("/securityContext/fsGroup").asInt()).isEqualTo(agent ? 0 : 7600);
            assertThat(files(workload, "kafka"))
                    .contains(variable("KAFKA_TLS_CERTIFICATE"), variable("KAFKA_TLS_KEY"));
            assertThat(files(workload, "kafka-ca")).containsExactly(variable("KAFKA_TLS_CA"));
            assertThat(volume(spec, "kafka-ca").at("/secret/secretName").asText())
                    .isEqualTo(kafka() + "-cluster-ca-cert");
        }
    }

    @Test
    void the_database_is_known_by_its_authority_whose_key_is_not_handed_out() {
        JsonNode accounting = workload("accounting");

        assertThat(files(accounting, "postgres-ca"))
                .containsExactly(
                        Manifests.value(container(accounting), "BERTH_ACCOUNTING_DATABASE_CA"));
    }

    private static JsonNode volume(JsonNode spec, String name) {
        return stream(spec.path("volumes"))
                .filter(it -> it.path("name").asText().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /// Where the items of a secret's volume are in a container.
    private static List<String> files(JsonNode workload, String volume) {
        String folder =
                stream(container(workload).path("volumeMounts"))
                        .filter(it -> it.path("name").asText().equals(volume))
                        .findFirst()
                        .orElseThrow()
                        .path("mountPath")
                        .asText();
        return stream(volume(pod(workload).path("spec"), volume).at("/secret/items"))
                .map(it -> folder + "/" + it.path("path").asText())
                .toList();
    }

    /// What all services are told.
    private static String variable(String name) {
        return Checkout.read("k8s/berth.env")
                .lines()
                .filter(it -> it.startsWith(name + "="))
                .map(it -> it.substring(name.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void acknowledged_records_are_on_two_brokers_and_a_dead_leader_is_noticed_in_time() {
        JsonNode config = manifests.all("Kafka").getFirst().at("/spec/kafka/config");
        int brokers = manifests.all("KafkaNodePool").getFirst().at("/spec/replicas").asInt();

        assertThat(config.path("min.insync.replicas").asInt()).isEqualTo(2);
        assertThat(config.path("group.min.session.timeout.ms").asInt()).isEqualTo(1000);
        assertThat(config.path("unclean.leader.election.enable").asBoolean(true)).isFalse();
        assertThat(Checkout.read("k8s/berth.env")).contains("BERTH_REPLICAS=" + brokers + "\n");
    }

    @Test
    void agents_obey_signed_orders_alone_and_run_scripts_as_their_users() {
        assertThat(Manifests.value(container(workload("agent")), "BERTH_AGENT_RUN_AS"))
                .isEqualTo("user");
        assertThat(mounted("agent", "BERTH_AGENT_PLACEMENT_KEYS")).isTrue();
        assertThat(mounted("placement", "BERTH_PLACEMENT_SIGNING_KEY")).isTrue();
    }

    private JsonNode workload(String name) {
        return manifests.workloads().stream()
                .filter(it -> name(it).equals(name))
                .findFirst()
                .orElseThrow();
    }

    /// Whether something is mounted where a variable of a service says.
    private boolean mounted(String service, String variable) {
        JsonNode container = container(workload(service));
        String path = Manifests.value(container, variable);
        return stream(container.path("volumeMounts"))
                .anyMatch(it -> it.path("mountPath").asText().equals(path));
    }

    @Test
    void nothing_has_more_rights_than_it_needs() {
        for (JsonNode workload : manifests.workloads()) {
            JsonNode container = container(workload).path("securityContext");
            JsonNode spec = pod(workload).path("spec");
            assertThat(container.path("privileged").asBoolean()).isFalse();
            assertThat(container.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
            assertThat(container.path("readOnlyRootFilesystem").asBoolean()).isTrue();
            assertThat(texts(container.at("/capabilities/drop"))).containsExactly("ALL");
            assertThat(spec.path("automountServiceAccountToken").asBoolean(true)).isFalse();
            boolean agent = name(workload).equals("agent");
            assertThat(spec.at("/securityContext/runAsNonRoot").asBoolean()).isEqualTo(!agent);
            assertThat(container.at("/capabilities/add").isMissingNode()).isEqualTo(!agent);
        }
    }

    @Test
    void what_grows_with_its_load_is_a_deployment_that_does_not_say_how_many() {
        for (JsonNode scaled : manifests.all("ScaledObject")) {
            String target = scaled.at("/spec/scaleTargetRef/name").asText();
            JsonNode deployment =
                    manifests.all("Deployment").stream()
                            .filter(it -> name(it).equals(target))
                            .findFirst()
                            .orElseThrow();
            assertThat(deployment.path("spec").has("replicas")).isFalse();
            assertThat(scaled.at("/spec/triggers")).isNotEmpty();
        }
    }

    private String kafka() {
        return name(manifests.all("Kafka").getFirst());
    }

    private String postgres() {
        return name(manifests.all("Cluster").getFirst());
    }

    private static Set<String> names(JsonNode objects) {
        return stream(objects)
                .map(it -> it.path("name").asText())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> names(List<JsonNode> objects) {
        return objects.stream().map(Manifests::name).collect(Collectors.toCollection(TreeSet::new));
    }
}
