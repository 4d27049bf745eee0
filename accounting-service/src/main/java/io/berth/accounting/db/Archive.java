package io.berth.accounting.db;

import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/// The oldest jobs of the books, month by month: written to files, then deleted.
///
/// A month is that of a job's end, in UTC. Its files, `jobs-2026-01.csv.gz` and
/// `runs-2026-01.csv.gz`, have all columns under their names and are whole before the first row is
/// deleted; whatever is killed in between, each row is in a file once. What was charged stays in
/// the books as sums.
@ApplicationScoped
public class Archive {

    private static final int AT_ONCE = 5_000;

    /// Instances take turns.
    private static final String ALONE = "SELECT pg_advisory_xact_lock(4198372460)";

    private static final String PURGE =
            """
            WITH gone AS (SELECT id FROM job WHERE %s ORDER BY ended_at LIMIT %d),
                 runs AS (DELETE FROM run r USING gone WHERE r.job = gone.id
                          RETURNING r.account, r.job, r.cpu_millis, r.memory_mib_millis, r.gpu_millis, r.node_millis,
                                    r.billing_micros),
                 sums AS (INSERT INTO purged_charge
                          SELECT runs.account, job.username, sum(cpu_millis), sum(memory_mib_millis), sum(gpu_millis),
                                 sum(node_millis), sum(billing_micros)
                          FROM runs JOIN job ON job.id = runs.job GROUP BY runs.account, job.username
                          ON CONFLICT (account, username) DO UPDATE SET
                              cpu_millis = purged_charge.cpu_millis + excluded.cpu_millis,
                              memory_mib_millis = purged_charge.memory_mib_millis + excluded.memory_mib_millis,
                              gpu_millis = purged_charge.gpu_millis + excluded.gpu_millis,
                              node_millis = purged_charge.node_millis + excluded.node_millis,
                              billing_micros = purged_charge.billing_micros + excluded.billing_micros)
            SELECT id FROM gone\
            """;

    private final DataSource database;

    public Archive(DataSource database) {
        this.database = database;
    }

    /// The month of the job that ended first; empty if none has ended.
    public Optional<YearMonth> oldest() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            long first =
                    number(
                            statement,
                            "SELECT coalesce(min(ended_at), 0) FROM job WHERE ended_at <> 0");
            return first == 0
                    ? Optional.empty()
                    : Optional.of(
                            YearMonth.from(Instant.ofEpochMilli(first).atOffset(ZoneOffset.UTC)));
        }
    }

    /// Writes a month's files, if they were not written before, and deletes its jobs.
    ///
    /// @param folder that must be there; without one nothing is written
    /// @return how many jobs are deleted
    public long purge(YearMonth month, Optional<Path> folder) throws SQLException, IOException {
        String ended =
                "ended_at >= %d AND ended_at < %d AND ended_at <> 0"
                        .formatted(millis(month), millis(month.plusMonths(1)));
        if (folder.isPresent()) {
            archive(month, ended, folder.get());
        }
        long deleted = 0;
        try (Connection connection = database.getConnection()) {
            int some;
            do {
                some = purge(connection, ended);
                deleted += some;
            } while (some > 0);
            try (Statement statement = connection.createStatement()) {
                statement.execute(
                        "UPDATE archived SET deleted = true WHERE month = " + millis(month));
            }
            connection.commit();
        }
        return deleted;
    }

    private void archive(YearMonth month, String ended, Path folder)
            throws SQLException, IOException {
        try (Connection connection = database.getConnection()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute(ALONE);
                String parts = "SELECT count(*) FROM archived WHERE month = " + millis(month);
                if (number(statement, parts + " AND NOT deleted") == 0) {
                    long part = number(statement, parts) + 1;
                    String name = month + (part == 1 ? "" : "-" + part) + ".csv.gz";
                    long jobs =
                            write(
                                    connection,
                                    "SELECT * FROM job WHERE " + ended + " ORDER BY id",
                                    folder.resolve("jobs-" + name));
                    long runs =
                            write(
                                    connection,
                                    "SELECT r.* FROM run r JOIN job ON job.id = r.job WHERE "
                                            + ended
                                            + " ORDER BY r.job, r.lease",
                                    folder.resolve("runs-" + name));
                    statement.execute(
                            "INSERT INTO archived VALUES (%d, %d, %d, %d, false)"
                                    .formatted(millis(month), part, jobs, runs));
                }
            }
            connection.commit();
        }
    }

    /// Writes what a query gives; how many rows that is. The file is there whole or not at all.
    private static long write(Connection connection, String query, Path file)
            throws SQLException, IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        long rows;
        try (var out = new GZIPOutputStream(Files.newOutputStream(part))) {
            rows =
                    connection
                            .unwrap(PGConnection.class)
                            .getCopyAPI()
                            .copyOut(
                                    "COPY (" + query + ") TO STDOUT WITH (FORMAT csv, HEADER)",
                                    out);
        }
        try (var channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return rows;
    }

    /// Deletes some jobs with their runs and keeps their sums; how many.
    private static int purge(Connection connection, String ended) throws SQLException {
        connection.setAutoCommit(false);
        int deleted = 0;
        try (Statement statement = connection.createStatement()) {
            statement.execute(ALONE);
            var ids = new StringBuilder("0");
            try (var gone = statement.executeQuery(PURGE.formatted(ended, AT_ONCE))) {
                while (gone.next()) {
                    ids.append(',').append(gone.getLong(1));
                    deleted++;
                }
            }
            if (deleted > 0) {
                statement.execute("DELETE FROM job WHERE id IN (" + ids + ")");
            }
        }
        connection.commit();
        return deleted;
    }

    private static long millis(YearMonth month) {
        return month.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
    }

    private static long number(Statement statement, String query) throws SQLException {
        try (var rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
