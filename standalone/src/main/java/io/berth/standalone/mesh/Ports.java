package io.berth.standalone.mesh;

import io.berth.embedded.FreePorts;
import java.util.List;
import java.util.Map;

/// The ports of a mesh: consecutive, from one base on.
public record Ports(int base) {

    private static final int DEFAULT_BASE = 7600;
    private static final int COUNT = 8;

    /// @throws CannotStart if the ports from this base on do not exist
    public Ports {
        if (base < 1024 || base > 65_535 - COUNT) {
            throw new CannotStart(
                    "BERTH_PORT_BASE is %d, not in 1024..%d".formatted(base, 65_535 - COUNT));
        }
    }

    /// What a port is for.
    record Use(String name, int port) {}

    /// As the environment variable `BERTH_PORT_BASE` says, 7600 if it does not.
    public static Ports configured(Map<String, String> environment) {
        String base = environment.getOrDefault("BERTH_PORT_BASE", "").strip();
        try {
            return new Ports(base.isEmpty() ? DEFAULT_BASE : Integer.parseInt(base));
        } catch (NumberFormatException e) {
            throw new CannotStart("BERTH_PORT_BASE is '%s', not a number".formatted(base));
        }
    }

    /// Ports that nobody listens on at the moment of asking ([FreePorts]).
    public static Ports free() {
        return new Ports(FreePorts.nextOf(COUNT));
    }

    public int submit() {
        return base;
    }

    int priority() {
        return base + 1;
    }

    int placement() {
        return base + 2;
    }

    public int accounting() {
        return base + 3;
    }

    int agent() {
        return base + 4;
    }

    int kafka() {
        return base + 5;
    }

    int kafkaController() {
        return base + 6;
    }

    int postgres() {
        return base + 7;
    }

    List<Use> uses() {
        return List.of(
                new Use("submit", submit()),
                new Use("priority", priority()),
                new Use("placement", placement()),
                new Use("accounting", accounting()),
                new Use("agent", agent()),
                new Use("Kafka", kafka()),
                new Use("Kafka controller", kafkaController()),
                new Use("PostgreSQL", postgres()));
    }

    /// @throws CannotStart naming the first port that somebody listens on
    public void requireFree() {
        for (Use use : uses()) {
            if (!FreePorts.isFree(use.port())) {
                throw new CannotStart(
                        "port %d (%s) is taken: set BERTH_PORT_BASE to the first of %d free ports"
                                .formatted(use.port(), use.name(), COUNT));
            }
        }
    }
}
