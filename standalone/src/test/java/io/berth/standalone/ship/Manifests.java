package io.berth.standalone.ship;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.berth.contracts.json.Json;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1NetworkPolicy;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.strimzi.api.kafka.model.kafka.KafkaSpec;
import io.strimzi.api.kafka.model.nodepool.KafkaNodePoolSpec;
import io.strimzi.api.kafka.model.user.KafkaUserSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The objects of the Kubernetes base, read strictly: a field that their API does not have is an
/// error, as is one of Kubernetes' own that lacks what its API requires.
final class Manifests {

    /// A kind of Kubernetes' own.
    ///
    /// @param model knows every field and its type
    /// @param required is made from Kubernetes' OpenAPI description
    private record Kind(Class<?> model, Required required) {}

    /// Finds what an object lacks.
    private interface Required {
        void check(JsonElement object) throws IOException;
    }

    private static final Map<String, Kind> WHOLE =
            Map.of(
                    "v1/ConfigMap", new Kind(ConfigMap.class, V1ConfigMap::validateJsonElement),
                    "v1/Namespace", new Kind(Namespace.class, V1Namespace::validateJsonElement),
                    "v1/Service", new Kind(Service.class, V1Service::validateJsonElement),
                    "v1/ServiceAccount",
                            new Kind(ServiceAccount.class, V1ServiceAccount::validateJsonElement),
                    "apps/v1/Deployment",
                            new Kind(Deployment.class, V1Deployment::validateJsonElement),
                    "apps/v1/DaemonSet",
                            new Kind(DaemonSet.class, V1DaemonSet::validateJsonElement),
                    "policy/v1/PodDisruptionBudget",
                            new Kind(
                                    PodDisruptionBudget.class,
                                    V1PodDisruptionBudget::validateJsonElement),
                    "networking.k8s.io/v1/NetworkPolicy",
                            new Kind(NetworkPolicy.class, V1NetworkPolicy::validateJsonElement));

    private static final Map<String, Class<?>> SPECS =
            Map.of(
                    "kafka.strimzi.io/v1beta2/Kafka", KafkaSpec.class,
                    "kafka.strimzi.io/v1beta2/KafkaNodePool", KafkaNodePoolSpec.class,
                    "kafka.strimzi.io/v1beta2/KafkaUser", KafkaUserSpec.class,
                    "postgresql.cnpg.io/v1/Cluster", CustomResources.ClusterSpec.class,
                    "keda.sh/v1alpha1/ScaledObject", CustomResources.ScaledObjectSpec.class);

    /// The models keep what they do not know in a map of their own; here it shall be refused.
    private static final ObjectMapper STRICT =
            JsonMapper.builder()
                    .withCoercionConfig(
                            LogicalType.Textual,
                            it -> it.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail))
                    .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                    .build()
                    .setAnnotationIntrospector(
                            new JacksonAnnotationIntrospector() {
                                private static final long serialVersionUID = 1;

                                @Override
                                public Boolean hasAnySetter(Annotated annotated) {
                                    return false;
                                }
                            });

    private final List<JsonNode> objects = new ArrayList<>();

    Manifests(List<String> files) {
        files.forEach(file -> add(Checkout.yaml("k8s/" + file)));
    }

    static Manifests of(List<Object> documents) {
        var manifests = new Manifests(List.of());
        manifests.add(documents);
        return manifests;
    }

    private void add(List<Object> documents) {
        documents.forEach(it -> objects.add(Json.mapper().valueToTree(it)));
    }

    /// Reads an object as what it says it is.
    ///
    /// @throws AssertionError if it is not
    static void check(JsonNode object) {
        String type = object.path("apiVersion").asText() + "/" + object.path("kind").asText();
        try {
            Kind kind = WHOLE.get(type);
            if (kind != null) {
                STRICT.treeToValue(object, kind.model());
                kind.required().check(JsonParser.parseString(object.toString()));
            } else if (SPECS.containsKey(type)) {
                STRICT.treeToValue(object.path("spec"), SPECS.get(type));
            } else {
                throw new AssertionError("no model of " + type);
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new AssertionError(type + " " + name(object) + ": " + e.getMessage(), e);
        }
    }

    /// What a variable of a container is set to; empty if it is not.
    static String value(JsonNode container, String variable) {
        for (JsonNode it : container.path("env")) {
            if (it.path("name").asText().equals(variable)) {
                return it.path("value").asText();
            }
        }
        return "";
    }

    static String name(JsonNode object) {
        return object.path("metadata").path("name").asText();
    }

    List<JsonNode> all() {
        return objects;
    }

    List<JsonNode> all(String kind) {
        return objects.stream().filter(it -> it.path("kind").asText().equals(kind)).toList();
    }

    /// What makes pods of ours.
    List<JsonNode> workloads() {
        return objects.stream()
                .filter(it -> List.of("Deployment", "DaemonSet").contains(it.path("kind").asText()))
                .toList();
    }
}
