package io.berth.accounting;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.postgresql.PGConnection;

/// The tables of the books, seen beside the service.
record Tables(String jdbcUrl, String password) {

    /// In an order in which they can be filled.
    private static final List<String> ALL =
            List.of(
                    "job",
                    "run",
                    "step",
                    "usage",
                    "log_position",
                    "dead_letter",
                    "configuration",
                    "usage_reset",
                    "decay_rule");

    private Connection connection() throws SQLException {
        return DriverManager.getConnection(jdbcUrl, "berth", password);
    }

    /// The first column of each row.
    List<String> ask(String sql) {
        try (var connection = connection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            var answers = new ArrayList<String>();
            while (rows.next()) {
                answers.add(rows.getString(1));
            }
            return answers;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    long number(String sql) {
        return Long.parseLong(ask(sql).getFirst());
    }

    long count(String table) {
        return number("SELECT count(*) FROM " + table);
    }

    /// Of all usage.
    long sum(String column) {
        return number("SELECT sum(" + column + ") FROM usage");
    }

    /// The next record to read.
    long position() {
        return number("SELECT next_offset FROM log_position");
    }

    void execute(String sql) throws SQLException {
        try (var connection = connection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /// All that was booked.
    List<String> dump() {
        var rows = new ArrayList<String>();
        rows.addAll(ask("SELECT j::text FROM job j ORDER BY id"));
        rows.addAll(ask("SELECT r::text FROM run r ORDER BY job, lease"));
        rows.addAll(ask("SELECT s::text FROM step s ORDER BY job, lease, node, number"));
        rows.addAll(ask("SELECT u::text FROM usage u ORDER BY account, username, partition, qos"));
        return rows;
    }

    /// All tables of one moment, as `pg_dump` copies them.
    Map<String, String> backup() throws SQLException, IOException {
        var tables = new LinkedHashMap<String, String>();
        try (var connection = connection()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            for (String table : ALL) {
                var rows = new StringWriter();
                connection
                        .unwrap(PGConnection.class)
                        .getCopyAPI()
                        .copyOut("COPY " + table + " TO STDOUT", rows);
                tables.put(table, rows.toString());
            }
        }
        return tables;
    }

    void restore(Map<String, String> backup) throws SQLException, IOException {
        try (var connection = connection()) {
            for (var table : backup.entrySet()) {
                connection
                        .unwrap(PGConnection.class)
                        .getCopyAPI()
                        .copyIn(
                                "COPY " + table.getKey() + " FROM STDIN",
                                new StringReader(table.getValue()));
            }
        }
    }
}
