package io.berth.accounting.cluster;

/// Something that jobs name and that a change takes away.
public sealed interface Removed {

    record Partition(String name) implements Removed {
        @Override
        public String toString() {
            return "partition " + name;
        }
    }

    record Qos(String name) implements Removed {
        @Override
        public String toString() {
            return "QOS " + name;
        }
    }

    /// Only jobs that run in it hold it.
    record Reservation(String name) implements Removed {
        @Override
        public String toString() {
            return "reservation " + name;
        }
    }

    record Account(String name) implements Removed {
        @Override
        public String toString() {
            return "account " + name;
        }
    }

    record Association(String account, String user) implements Removed {
        @Override
        public String toString() {
            return "user " + user + " in account " + account;
        }
    }
}
