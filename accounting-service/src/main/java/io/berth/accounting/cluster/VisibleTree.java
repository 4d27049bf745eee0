package io.berth.accounting.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.PrivateData;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.core.request.Sight;
import java.util.ArrayList;
import java.util.function.Predicate;

/// What of a cluster file one may see who asks for it.
public final class VisibleTree {

    private VisibleTree() {}

    /// @param tree of a whole file; it stays as it is
    public static JsonNode of(JsonNode tree, Sight sight) {
        Configuration known = sight.configuration();
        if (sight.operator() || (known != null && known.cluster().privateData().isEmpty())) {
            return tree;
        }
        ObjectNode visible = tree.deepCopy();
        keep(visible.path("accounts"), sight::account);
        visible.path("accounts")
                .properties()
                .forEach(it ->
                        keep(it.getValue().path("users"), user -> sight.member(it.getKey(), user)));
        keep(
                visible.path("reservations"),
                name -> {
                    Reservation it = known == null ? null : known.reservations().get(name);
                    return it != null && sight.reservation(it);
                });
        keep(
                visible.path("adminLevels"),
                user -> !sight.hides(PrivateData.USERS) || user.equals(sight.user()));
        keep(visible.path("partitions"), _ -> !sight.hides(PrivateData.PARTITIONS));
        return visible;
    }

    private static void keep(JsonNode section, Predicate<String> visible) {
        if (section instanceof ObjectNode map) {
            var names = new ArrayList<String>();
            map.fieldNames().forEachRemaining(names::add);
            names.stream().filter(it -> !visible.test(it)).forEach(map::remove);
        }
    }
}
