package io.berth.standalone.ship;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The part that the base uses of APIs of which nobody publishes a model for Java: every field that
/// it names stands in their definitions under that name, with that type and as much required. A
/// field that is theirs and not here is refused too: look it up there and add it.
///
/// Sources: CloudNativePG, `api/v1/cluster_types.go`; KEDA,
/// `config/crd/bases/keda.sh_scaledobjects.yaml`, and `metricType` from its page *ScaledObject
/// specification*.
final class CustomResources {

    private CustomResources() {}

    /// `postgresql.cnpg.io/v1`, kind Cluster.
    record ClusterSpec(
            @JsonProperty(required = true) int instances,
            @Nullable String imageName,
            @Nullable Bootstrap bootstrap,
            @JsonProperty(required = true) Storage storage,
            @Nullable ResourceRequirements resources) {}

    record Bootstrap(@Nullable InitDb initdb) {}

    record InitDb(@Nullable String database, @Nullable String owner) {}

    record Storage(@Nullable String size, @Nullable String storageClass) {}

    /// `keda.sh/v1alpha1`, kind ScaledObject.
    record ScaledObjectSpec(
            @JsonProperty(required = true) Target scaleTargetRef,
            @Nullable Integer pollingInterval,
            @Nullable Integer cooldownPeriod,
            @Nullable Integer minReplicaCount,
            @Nullable Integer maxReplicaCount,
            @JsonProperty(required = true) List<Trigger> triggers) {}

    record Target(
            @Nullable String apiVersion,
            @Nullable String kind,
            @JsonProperty(required = true) String name) {}

    /// @param metricType `AverageValue`, `Value` or `Utilization`
    /// @param metadata of that type of trigger: text all of it, numbers too
    record Trigger(
            @JsonProperty(required = true) String type,
            @Nullable String name,
            @Nullable MetricType metricType,
            @JsonProperty(required = true) Map<String, String> metadata) {}

    enum MetricType {
        @JsonProperty("AverageValue")
        AVERAGE_VALUE,
        @JsonProperty("Value")
        VALUE,
        @JsonProperty("Utilization")
        UTILIZATION
    }
}
