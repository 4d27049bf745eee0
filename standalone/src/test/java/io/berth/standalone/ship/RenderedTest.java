package io.berth.standalone.ship;

import static io.berth.standalone.ship.Manifests.name;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/// What `kubectl apply --kustomize k8s` would send: the base as kustomize renders it.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RenderedTest {

    private static final String NAMESPACE = "berth";

    /// Config maps that an operator of the cluster makes: docs/deploy.md.
    private static final Set<String> GIVEN = Set.of("berth-placement-keys");

    private Manifests rendered = new Manifests(List.of());

    @BeforeAll
    void render(@TempDir Path folder) throws IOException, InterruptedException {
        Path out = folder.resolve("rendered.yaml");
        Path errors = folder.resolve("errors");
        try {
            kubectl(out, errors, "version", "--client", "--output=json");
        } catch (IOException e) {
            assumeThat(e).as("kubectl, to render the base with").isNull();
        }
        assumeThat(out).content().as("kubectl of 1.24 or later").contains("kustomizeVersion");
        assertThat(kubectl(out, errors, "kustomize", "k8s")).as(Files.readString(errors)).isZero();
        assertThat(errors).isEmptyFile();
        rendered = Manifests.of(Checkout.documents(Files.readString(out)));
    }

    /// Its exit status.
    private static int kubectl(Path out, Path errors, String... words)
            throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("kubectl"));
        command.addAll(List.of(words));
        Process kubectl =
                new ProcessBuilder(command)
                        .directory(Checkout.ROOT.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(errors.toFile())
                        .start();
        assertThat(kubectl.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return kubectl.exitValue();
    }

    @Test
    void every_object_is_as_its_api_has_it_and_in_the_namespace() {
        assertThat(rendered.all())
                .hasSizeGreaterThan(30)
                .allSatisfy(Manifests::check)
                .allSatisfy(object -> {
                    boolean itself = object.path("kind").asText().equals("Namespace");
                    assertThat(itself ? name(object) : object.at("/metadata/namespace").asText())
                            .as(name(object))
                            .isEqualTo(NAMESPACE);
                });
    }

    @Test
    void pods_name_config_maps_that_are_rendered() {
        var there = new TreeSet<>(GIVEN);
        rendered.all("ConfigMap").forEach(it -> there.add(name(it)));
        Set<String> named =
                rendered.workloads().stream()
                        .flatMap(it -> configMaps(it).stream())
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(named).hasSizeGreaterThan(2);
        assertThat(there).containsAll(named);
    }

    @Test
    void labels_of_pods_are_what_their_owners_and_services_look_for() {
        for (JsonNode workload : rendered.workloads()) {
            JsonNode labels = workload.at("/spec/template/metadata/labels");
            workload.at("/spec/selector/matchLabels")
                    .properties()
                    .forEach(it -> assertThat(labels.get(it.getKey())).isEqualTo(it.getValue()));
        }
        List<JsonNode> pods =
                rendered.workloads().stream()
                        .map(it -> it.at("/spec/template/metadata/labels"))
                        .toList();
        for (JsonNode service : rendered.all("Service")) {
            JsonNode wanted = service.at("/spec/selector");
            assertThat(pods)
                    .as("service %s", name(service))
                    .anyMatch(labels ->
                            wanted.properties().stream()
                                    .allMatch(it -> it.getValue().equals(labels.get(it.getKey()))));
        }
    }

    private static List<String> configMaps(JsonNode workload) {
        var names = new ArrayList<String>();
        JsonNode pod = workload.at("/spec/template/spec");
        pod.findValues("configMapRef").forEach(it -> names.add(it.path("name").asText()));
        pod.findValues("configMap").forEach(it -> names.add(it.path("name").asText()));
        return names;
    }
}
