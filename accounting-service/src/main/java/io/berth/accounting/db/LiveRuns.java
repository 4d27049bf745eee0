package io.berth.accounting.db;

import io.berth.accounting.cluster.Occupancy;
import io.berth.accounting.db.NodeHistory.Capacity;
import io.berth.slurm.HostList;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/// The nodes and what runs on them, as the books have it.
@ApplicationScoped
public class LiveRuns implements Occupancy {

    private final NodeHistory history;
    private final DataSource database;

    public LiveRuns(NodeHistory history, DataSource database) {
        this.history = history;
        this.database = database;
    }

    @Override
    public List<String> nodes() {
        try {
            Map<String, Capacity> all = history.current();
            return Stream.of(true, false)
                    .flatMap(up ->
                            all.entrySet().stream()
                                    .filter(it -> it.getValue().up() == up)
                                    .map(Map.Entry::getKey)
                                    .sorted(HostList.ORDER))
                    .toList();
        } catch (SQLException e) {
            throw new IllegalStateException("read the nodes in the books: " + e.getMessage(), e);
        }
    }

    @Override
    public Set<String> usable() {
        try {
            return history.current().entrySet().stream()
                    .filter(it -> it.getValue().up())
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
        } catch (SQLException e) {
            throw new IllegalStateException("read the nodes in the books: " + e.getMessage(), e);
        }
    }

    @Override
    public List<Stay> stays() {
        var stays = new ArrayList<Stay>();
        try (Connection connection = database.getConnection();
                var statement = connection.createStatement();
                var rows =
                        statement.executeQuery(
                                """
                                SELECT job.id, run.node_list, job.reservation, job.time_limit_seconds,
                                       greatest(run.placed_at, run.started_at) + run.suspended_millis
                                FROM run JOIN job ON job.id = run.job WHERE run.freed_at = 0\
                                """)) {
            while (rows.next()) {
                stays.add(stay(rows));
            }
        } catch (SQLException e) {
            throw new IllegalStateException("read the runs in the books: " + e.getMessage(), e);
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
}
