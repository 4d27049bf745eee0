package io.berth.accounting.db;

import io.berth.accounting.cluster.Occupancy;
import io.berth.accounting.db.NodeHistory.Capacity;
import io.berth.slurm.HostList;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;

/// The nodes and what runs on them, as the books have it.
@ApplicationScoped
public class LiveRuns implements Occupancy {

    /// No limit runs while a run stands still: it may stay for any time.
    private static final String STAYS =
            """
            SELECT job.id, run.node_list, job.reservation,
                   CASE run.suspended_at WHEN 0 THEN job.time_limit_seconds ELSE 0 END,
                   greatest(run.placed_at, run.started_at) + run.suspended_millis
            FROM run JOIN job ON job.id = run.job WHERE run.freed_at = 0\
            """;

    private static final String NAMED =
            "SELECT DISTINCT reservation FROM job WHERE ended_at = 0 AND reservation IS NOT NULL";

    private final NodeHistory history;
    private final DataSource database;

    public LiveRuns(NodeHistory history, DataSource database) {
        this.history = history;
        this.database = database;
    }

    @Override
    public Seen look() {
        try {
            Map<String, Capacity> all = history.current();
            var usable = new TreeSet<>(HostList.ORDER);
            var others = new TreeSet<>(HostList.ORDER);
            all.forEach((node, has) -> (has.up() ? usable : others).add(node));
            var nodes = new ArrayList<String>(usable);
            nodes.addAll(others);
            try (Connection connection = database.getConnection()) {
                return new Seen(nodes, usable, stays(connection), named(connection));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "read the nodes and runs in the books: " + e.getMessage(), e);
        }
    }

    private static List<Stay> stays(Connection connection) throws SQLException {
        var stays = new ArrayList<Stay>();
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(STAYS)) {
            while (rows.next()) {
                stays.add(stay(rows));
            }
        }
        return stays;
    }

    private static Stay stay(ResultSet row) throws SQLException {
        long limit = row.getLong(4);
        return new Stay(
                row.getLong(1),
                HostList.expand(row.getString(2)),
                limit == 0 ? Long.MAX_VALUE : row.getLong(5) + limit * 1000,
                row.getString(3));
    }

    private static Set<String> named(Connection connection) throws SQLException {
        var named = new HashSet<String>();
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(NAMED)) {
            while (rows.next()) {
                named.add(rows.getString(1));
            }
        }
        return named;
    }
}
