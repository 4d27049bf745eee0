package io.berth.accounting.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.AdminLevel;
import io.berth.contracts.config.Configuration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// What an operator may change of a cluster's configuration, as Slurm has it: accounts with their
/// users, QOS, reservations, and who is an operator. All else is an admin's.
///
/// Source: sacctmgr(1), "AdminLevel"; slurm.conf(5).
public final class Operation {

    private static final Set<String> OPERATORS =
            Set.of("accounts", "qos", "reservations", "adminLevels");

    private Operation() {}

    /// The changed file.
    ///
    /// @throws NotAllowed if it differs in something that is an admin's to change
    public static ClusterFile checked(ClusterFile before, ClusterFile after) throws NotAllowed {
        for (String section : Coordination.keys(before.tree(), after.tree())) {
            JsonNode was = before.tree().path(section);
            JsonNode is = after.tree().path(section);
            if (!OPERATORS.contains(section) && !was.equals(is)) {
                throw new NotAllowed("only an admin may change " + section);
            }
        }
        if (!admins(before).equals(admins(after))) {
            throw new NotAllowed("adminLevels: only an admin may say who is an admin");
        }
        return after;
    }

    private static Set<String> admins(ClusterFile file) {
        Map<String, AdminLevel> levels =
                Configuration.of(0, file.entries(0)).cluster().adminLevels();
        return levels.keySet().stream()
                .filter(it -> levels.get(it) == AdminLevel.ADMIN)
                .collect(Collectors.toSet());
    }
}
