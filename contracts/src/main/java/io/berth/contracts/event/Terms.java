package io.berth.contracts.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.berth.contracts.Added;
import io.berth.contracts.Limits;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What an association allows its jobs. What it leaves open holds as in the account above.
///
/// @param defaultQos of jobs that name none; null as above
/// @param qos those that its jobs may use; empty as above
/// @param priority for the association's part of the priority (PriorityWeightAssoc)
/// @param byPartition limits that hold instead in a partition: Slurm's associations with a
///   partition
/// @param guarantee what the jobs of an account, and of those below it, may have back from those
///   who have borrowed it, named as limits name them; empty is nothing
public record Terms(
        @Nullable String defaultQos,
        List<String> qos,
        int priority,
        Limits limits,
        Map<String, Limits> byPartition,
        @Added @JsonInclude(Include.NON_EMPTY) Map<String, Long> guarantee) {

    public static final Terms NONE = new Terms(null, List.of(), 0, Limits.NONE, Map.of());

    public Terms {
        qos = List.copyOf(qos);
        byPartition = Collections.unmodifiableMap(new TreeMap<>(byPartition));
        guarantee =
                guarantee == null
                        ? Map.of()
                        : Collections.unmodifiableMap(new TreeMap<>(guarantee));
    }

    /// Those that guarantee nothing.
    public Terms(
            @Nullable String defaultQos,
            List<String> qos,
            int priority,
            Limits limits,
            Map<String, Limits> byPartition) {
        this(defaultQos, qos, priority, limits, byPartition, Map.of());
    }
}
