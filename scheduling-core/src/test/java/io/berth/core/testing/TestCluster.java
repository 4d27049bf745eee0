package io.berth.core.testing;

import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.ConfigEntry.Weights;
import io.berth.contracts.event.PriorityRules;
import java.util.List;

/// The cluster of a test, and configurations that are read whole. The default QOS is `normal`, and
/// a week of waiting is the most that counts.
public final class TestCluster {

    /// Of every record: none is sent.
    public static final Part PART = new Part(1, 1, 1);

    private TestCluster() {}

    /// One without weights.
    public static Cluster of(String defaultAccount, long halfLifeSeconds, Prices prices) {
        return cluster(
                defaultAccount,
                halfLifeSeconds,
                prices,
                new Weights(0, 0, 0, 0, 0),
                false,
                PriorityRules.DEFAULT);
    }

    /// One in which usage is never forgotten.
    public static Cluster of(
            String defaultAccount,
            Prices prices,
            Weights weights,
            boolean favorSmall,
            PriorityRules rules) {
        return cluster(defaultAccount, 0, prices, weights, favorSmall, rules);
    }

    private static Cluster cluster(
            String defaultAccount,
            long halfLifeSeconds,
            Prices prices,
            Weights weights,
            boolean favorSmall,
            PriorityRules rules) {
        return new Cluster(
                PART,
                "c",
                defaultAccount,
                "normal",
                halfLifeSeconds,
                604_800,
                favorSmall,
                weights,
                prices,
                rules,
                null);
    }

    /// The configuration that these records make.
    public static Configuration configuration(ConfigEntry... entries) {
        return Configuration.of(1, List.of(entries));
    }
}
