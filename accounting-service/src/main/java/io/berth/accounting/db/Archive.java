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

/// The oldest jobs of the books, month by month: written to files and deleted.
///
/// A month is that of a job's end, in UTC. Its files, `jobs-2026-01.csv.gz`, `runs-2026-01.csv.gz`
/// and `steps-2026-01.csv.gz`, have all columns under their names. They are whole before the
/// transaction that deletes just these rows is committed; one that is not leaves files that the
/// next try replaces. So each row is in the books or in a file. What was charged stays in the books
/// as sums.
@ApplicationScoped
public class Archive {

    /// Instances take turns, until the connection is closed.
    private static final String ALONE = "SELECT pg_advisory_lock(4198372460)";

    private static final String JOBS = "SELECT * FROM job WHERE %s ORDER BY id";
    private static final String RUNS =
            "SELECT run.* FROM run JOIN job ON job.id = run.job WHERE %s ORDER BY run.job, run.lease";

    private static final String STEPS =
            "SELECT step.* FROM step JOIN job ON job.id = step.job WHERE %s"
                    + " ORDER BY step.job, step.lease, step.node, step.number";

    private static final String KEEP_SUMS =
            """
            INSERT INTO purged_charge
            SELECT run.account, job.username, sum(cpu_millis), sum(memory_mib_millis), sum(gpu_millis), sum(node_millis),
                   sum(billing_micros)
            FROM run JOIN job ON job.id = run.job WHERE %s GROUP BY run.account, job.username
            ON CONFLICT (account, username) DO UPDATE SET
                cpu_millis = purged_charge.cpu_millis + excluded.cpu_millis,
                memory_mib_millis = purged_charge.memory_mib_millis + excluded.memory_mib_millis,
                gpu_millis = purged_charge.gpu_millis + excluded.gpu_millis,
                node_millis = purged_charge.node_millis + excluded.node_millis,
                billing_micros = purged_charge.billing_micros + excluded.billing_micros\
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

    /// Writes a month's files and deletes its jobs with their runs and steps.
    ///
    /// @param folder that must be there; without one nothing is written
    /// @return how many jobs are deleted
    public long purge(YearMonth month, Optional<Path> folder) throws SQLException, IOException {
        String ended =
                "job.ended_at >= %d AND job.ended_at < %d AND job.ended_at <> 0"
                        .formatted(millis(month), millis(month.plusMonths(1)));
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(ALONE);
            // What is booked meanwhile is neither written nor deleted.
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            connection.setAutoCommit(false);
            if (folder.isPresent()) {
                write(connection, month, ended, folder.get());
            }
            statement.execute(KEEP_SUMS.formatted(ended));
            statement.execute("DELETE FROM step USING job WHERE job.id = step.job AND " + ended);
            statement.execute("DELETE FROM run USING job WHERE job.id = run.job AND " + ended);
            long deleted = statement.executeLargeUpdate("DELETE FROM job WHERE " + ended);
            connection.commit();
            return deleted;
        }
    }

    private static void write(Connection connection, YearMonth month, String ended, Path folder)
            throws SQLException, IOException {
        try (Statement statement = connection.createStatement()) {
            String parts = "SELECT count(*) + 1 FROM archived WHERE month = " + millis(month);
            long part = number(statement, parts);
            String name = month + (part == 1 ? "" : "-" + part) + ".csv.gz";
            long jobs = write(connection, JOBS.formatted(ended), folder.resolve("jobs-" + name));
            long runs = write(connection, RUNS.formatted(ended), folder.resolve("runs-" + name));
            write(connection, STEPS.formatted(ended), folder.resolve("steps-" + name));
            statement.execute(
                    "INSERT INTO archived VALUES (%d, %d, %d, %d)"
                            .formatted(millis(month), part, jobs, runs));
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
