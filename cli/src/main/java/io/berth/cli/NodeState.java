package io.berth.cli;

/// A node's state in Slurm's words.
///
/// @param flag `*` for a node that does not respond, else ""
record NodeState(Base base, String flag) {

    /// In the order in which `sinfo` lists them.
    enum Base {
        MIXED("mixed", "mix"),
        ALLOCATED("allocated", "alloc"),
        IDLE("idle", "idle"),
        MAINTENANCE("maint", "maint"),
        RESERVED("reserved", "resv"),
        DRAINING("draining", "drng"),
        DRAINED("drained", "drain"),
        DOWN("down", "down"),
        UNKNOWN("unknown", "unk");

        private final String full;
        private final String brief;

        Base(String full, String brief) {
            this.full = full;
            this.brief = brief;
        }

        String full() {
            return full;
        }
    }

    /// A silent node shows what it holds, with a star, as it may still run it.
    ///
    /// @param responding whether its agent is heard from
    static NodeState of(String state, boolean responding, long cpusAllocated, long cpus) {
        return switch (state) {
            case "DRAINING" -> new NodeState(Base.DRAINING, responding ? "" : "*");
            case "DRAINED" -> new NodeState(Base.DRAINED, responding ? "" : "*");
            case "IDLE" -> new NodeState(Base.IDLE, "");
            case "MAINTENANCE" -> new NodeState(Base.MAINTENANCE, "");
            case "RESERVED" -> new NodeState(Base.RESERVED, "");
            case "MIXED" -> new NodeState(Base.MIXED, "");
            case "ALLOCATED" -> new NodeState(Base.ALLOCATED, "");
            case "DOWN" -> new NodeState(Base.DOWN, responding ? "" : "*");
            case "NOT_RESPONDING" ->
                    new NodeState(
                            cpusAllocated == 0
                                    ? Base.IDLE
                                    : cpusAllocated < cpus ? Base.MIXED : Base.ALLOCATED,
                            "*");
            default -> new NodeState(Base.UNKNOWN, "");
        };
    }

    /// `allocated`, `idle*`
    String full() {
        return base.full + flag;
    }

    /// `alloc`, `idle*`
    String brief() {
        return base.brief + flag;
    }

    /// The place in a listing: what does not respond comes first.
    int rank() {
        return base.ordinal() + (flag.isEmpty() ? Base.values().length : 0);
    }

    boolean allocated() {
        return base == Base.ALLOCATED || base == Base.MIXED || base == Base.DRAINING;
    }

    boolean idle() {
        return base == Base.IDLE && flag.isEmpty();
    }
}
