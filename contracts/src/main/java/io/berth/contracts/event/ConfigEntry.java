package io.berth.contracts.event;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// One record of a configuration revision. A revision counts only when all its records have been
/// read.
public sealed interface ConfigEntry {

    /// Shares of an account or a user that takes no part of its own in its parent's level: Slurm's
    /// `Fairshare=parent`.
    int PARENT_SHARES = -1;

    /// The account in which associations stand right under the root of the tree. It has no record.
    String ROOT_ACCOUNT = "root";

    Part part();

    /// The record's key in the topic, `<kind>/<name>`.
    String key();

    /// Which record of which revision: number 1 to `of`.
    record Part(long revision, int number, int of) {}

    /// What holds for the whole cluster.
    ///
    /// @param usageHalfLifeSeconds half-life of usage for fair share; 0 does not decay
    /// @param maxAgeSeconds waiting after which the age factor is 1
    /// @param defaultAccount account of users without an association
    /// @param defaultQos QOS of jobs that name none
    record Cluster(
            Part part,
            String name,
            String defaultAccount,
            String defaultQos,
            long usageHalfLifeSeconds,
            long maxAgeSeconds,
            boolean favorSmall,
            Weights weights,
            Prices prices)
            implements ConfigEntry {

        @Override
        public String key() {
            return "cluster/" + name;
        }
    }

    /// Points that each factor of 1 adds to a priority: Slurm's PriorityWeight*.
    record Weights(int age, int fairShare, int jobSize, int partition, int qos) {}

    /// Billing units per second, in thousandths: Slurm's TRESBillingWeights.
    ///
    /// @param gpu of a GPU whose type has no price of its own
    record Prices(long cpu, long gib, long gpu, Map<String, Long> gpuByType) {

        public Prices {
            gpuByType = Collections.unmodifiableMap(new TreeMap<>(gpuByType));
        }
    }

    /// A partition.
    ///
    /// @param nodes names of its nodes; `ALL` alone is every node
    /// @param maxTimeSeconds 0 is unlimited
    /// @param defaultTimeSeconds limit of jobs that ask for none; 0 is the maximum
    /// @param maxNodes 0 is unlimited
    /// @param jobFactor points relative to other partitions (PriorityJobFactor)
    /// @param tier jobs of a higher tier are tried first (PriorityTier)
    /// @param defMemoryMibPerCpu memory of jobs that ask for none
    record Partition(
            Part part,
            String name,
            boolean isDefault,
            List<String> nodes,
            long maxTimeSeconds,
            long defaultTimeSeconds,
            int maxNodes,
            int jobFactor,
            int tier,
            long defMemoryMibPerCpu)
            implements ConfigEntry {

        public Partition {
            nodes = List.copyOf(nodes);
        }

        @Override
        public String key() {
            return "partition/" + name;
        }
    }

    /// An account of the tree.
    ///
    /// @param parent null for an account right under the root
    /// @param shares its part of its siblings' level; or [#PARENT_SHARES]
    record Account(Part part, String name, @Nullable String parent, int shares)
            implements ConfigEntry {

        @Override
        public String key() {
            return "account/" + name;
        }
    }

    /// A user's membership in an account.
    ///
    /// @param shares its part of its siblings' level; or [#PARENT_SHARES]
    /// @param isDefault whether jobs of this user that name no account belong to it
    record Association(Part part, String account, String user, int shares, boolean isDefault)
            implements ConfigEntry {

        @Override
        public String key() {
            return "association/" + account + "/" + user;
        }
    }

    /// A quality of service.
    record Qos(Part part, String name, int priority) implements ConfigEntry {

        @Override
        public String key() {
            return "qos/" + name;
        }
    }
}
