package io.berth.accounting.db;

import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/// What each node had at any time, and whether it could be used then.
///
/// A change that comes again, or from another instance too, is there once.
@ApplicationScoped
public class NodeHistory {

    /// What a node has.
    ///
    /// @param up whether it could be given work: it is heard from, and nobody drains it
    public record Capacity(boolean up, int cpus, long memoryMib, int gpus) {}

    private final DataSource database;

    public NodeHistory(DataSource database) {
        this.database = database;
    }

    /// What each node has now.
    public Map<String, Capacity> current() throws SQLException {
        var current = new TreeMap<String, Capacity>();
        try (Connection connection = database.getConnection();
                var statement = connection.createStatement();
                var rows =
                        statement.executeQuery(
                                "SELECT node, up, cpus, memory_mib, gpus FROM node_span WHERE until = 0")) {
            while (rows.next()) {
                current.put(
                        rows.getString(1),
                        new Capacity(
                                rows.getBoolean(2),
                                rows.getInt(3),
                                rows.getLong(4),
                                rows.getInt(5)));
            }
        }
        return current;
    }

    /// What a node has from a time on.
    ///
    /// @param at epoch milliseconds
    /// @param capacity null if it is gone
    public record Change(String node, long at, @Nullable Capacity capacity) {}

    /// Enters changes in their order, all or none: a connection for each would take longer than all
    /// else.
    public void enter(List<Change> changes) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            for (Change change : changes) {
                end(connection, change.node(), change.at());
                if (change.capacity() != null) {
                    begin(connection, change.node(), change.at(), change.capacity());
                }
            }
            connection.commit();
        }
    }

    private static void end(Connection connection, String node, long at) throws SQLException {
        try (var end =
                connection.prepareStatement(
                        "UPDATE node_span SET until = ? WHERE node = ? AND until = 0 AND since < ?")) {
            end.setLong(1, at);
            end.setString(2, node);
            end.setLong(3, at);
            end.executeUpdate();
        }
    }

    private static void begin(Connection connection, String node, long at, Capacity capacity)
            throws SQLException {
        try (var begin =
                connection.prepareStatement(
                        """
                        INSERT INTO node_span (node, since, until, up, cpus, memory_mib, gpus)
                        SELECT ?, ?, 0, ?, ?, ?, ?
                        WHERE NOT EXISTS (SELECT 1 FROM node_span WHERE node = ? AND (until = 0 OR until > ?))
                        ON CONFLICT DO NOTHING\
                        """)) {
            begin.setString(1, node);
            begin.setLong(2, at);
            begin.setBoolean(3, capacity.up());
            begin.setInt(4, capacity.cpus());
            begin.setLong(5, capacity.memoryMib());
            begin.setInt(6, capacity.gpus());
            begin.setString(7, node);
            begin.setLong(8, at);
            begin.executeUpdate();
        }
    }
}
