package io.berth.cli;

import io.berth.cli.NodeState.Base;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// The node states that `sinfo --states` names: in any case, in full, by the short name, or by the
/// beginning of either.
///
/// @param each of the names given; a node must be in one of them
record NodeStates(List<Named> each) {

    /// @param silent whether only nodes that do not respond are meant
    private record Named(Set<Base> states, boolean silent) {

        boolean has(NodeState state) {
            return states.contains(state.base()) && (!silent || !state.flag().isEmpty());
        }
    }

    /// In the order in which beginnings are looked for. Berth's nodes are never in those that have
    /// no states here.
    private static final Map<String, Set<Base>> NAMES = new LinkedHashMap<>();

    private static final Set<Base> NEVER = Set.of();
    private static final String NO_RESPOND = "no_respond";

    static {
        name(Set.of(Base.UNKNOWN), "unknown", "unk");
        name(Set.of(Base.DOWN), "down");
        name(Set.of(Base.IDLE), "idle");
        name(Set.of(Base.ALLOCATED), "allocated", "alloc");
        name(NEVER, "error");
        name(Set.of(Base.MIXED), "mixed", "mix");
        name(NEVER, "future", "futr", "planned", "plnd");
        name(Set.of(Base.DRAINING, Base.DRAINED), "drain");
        name(Set.of(Base.DRAINED), "drained");
        name(Set.of(Base.RESERVED), "reserved", "resv");
        name(NEVER, "perfctrs", "npc");
        name(Set.of(Base.DRAINING), "draining", "drng");
        name(NEVER, "completing");
        name(NEVER, NO_RESPOND);
        name(NEVER, "powering_down", "powered_down", "power_down", "powering_up", "fail");
        name(Set.of(Base.MAINTENANCE), "maint");
        name(NEVER, "reboot_requested", "reboot_issued", "cloud");
    }

    private static void name(Set<Base> states, String... names) {
        for (String name : names) {
            NAMES.put(name, states);
        }
    }

    /// @throws CommandFailure naming the one that is no state, with those that are
    static NodeStates of(List<String> names) throws CommandFailure {
        var each = new ArrayList<Named>();
        for (String given : names) {
            boolean silent = given.endsWith("*");
            String name = silent ? given.substring(0, given.length() - 1) : given;
            each.add(named(name.toLowerCase(Locale.ROOT), silent, given));
        }
        return new NodeStates(each);
    }

    private static Named named(String name, boolean silent, String given) throws CommandFailure {
        if (name.equals("all")) {
            return new Named(Set.of(Base.values()), silent);
        }
        for (var known : NAMES.entrySet()) {
            if (!name.isEmpty() && known.getKey().startsWith(name)) {
                return known.getKey().equals(NO_RESPOND)
                        ? new Named(Set.of(Base.values()), true)
                        : new Named(known.getValue(), silent);
            }
        }
        throw new CommandFailure(
                1,
                "sinfo: error: Bad state string: \"%s\"\nsinfo: error: valid states: %s\n"
                        .formatted(given, String.join(",", NAMES.keySet())));
    }

    boolean has(NodeState state) {
        return each.isEmpty() || each.stream().anyMatch(it -> it.has(state));
    }
}
