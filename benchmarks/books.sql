-- Fills empty books with 10 million jobs and their runs, 200 users in 20 accounts over some 350 days, and times what
-- sacct and sreport ask of them: the accounting service's own conditions. For a database that the service has
-- migrated and that nobody else uses: psql DATABASE -f benchmarks/books.sql
\timing on
\echo Filling, and building the indexes by time after it
DROP INDEX job_by_time, run_by_time;
INSERT INTO job (id, name, username, account, partition, qos, state, reason, exit_code, exit_signal, submitted_at, started_at,
                 ended_at, time_limit_seconds, nodes, tasks, cpus, memory_mib, gpus, gpu_type, lease, restarts)
SELECT i, 'train', 'user' || i % 200, 'team' || i % 20, 'batch', 'normal', 'COMPLETED', 'None', 0, 0,
       1700000000000 + i * 3000, 1700000600000 + i * 3000, 1700000600000 + i * 3000 + i % 100 * 60000,
       3600, 1, 1, 8, 16384, 1, CASE i % 3 WHEN 0 THEN 'a100' WHEN 1 THEN 'h100' END, 1, 0
FROM generate_series(1::bigint, 10000000::bigint) i;
INSERT INTO run (job, lease, node_list, billing_rate, placed_at, started_at, freed_at, outcome, exit_code, exit_signal,
                 cpu_millis, memory_mib_millis, gpu_millis, node_millis, billing_micros, account)
SELECT id, 1, 'n' || id % 1000, 24000, started_at, started_at, ended_at, 'COMPLETED', 0, 0, 8 * (ended_at - started_at),
       16384 * (ended_at - started_at), ended_at - started_at, ended_at - started_at, 24000 * (ended_at - started_at), account
FROM job;
CREATE INDEX job_by_time ON job USING gist (lasted(submitted_at, ended_at));
CREATE INDEX run_by_time ON run USING gist (lasted(placed_at, freed_at));
VACUUM ANALYZE job;
VACUUM ANALYZE run;
SELECT pg_size_pretty(pg_database_size(current_database()));

\echo A day of a user, of an account, of all: in the middle, and at the end
SELECT count(*) FROM (SELECT * FROM job WHERE username IN ('user7')
    AND lasted(submitted_at, ended_at) && int8range(1715000000000, 1715086400000) ORDER BY id DESC LIMIT 10001) day;
SELECT count(*) FROM (SELECT * FROM job WHERE username IN ('user7')
    AND lasted(submitted_at, ended_at) && int8range(1729900000000, 1729986400000) ORDER BY id DESC LIMIT 10001) day;
SELECT count(*) FROM (SELECT * FROM job WHERE account IN ('team7')
    AND lasted(submitted_at, ended_at) && int8range(1715000000000, 1715086400000) ORDER BY id DESC LIMIT 10001) day;
SELECT count(*) FROM (SELECT * FROM job
    WHERE lasted(submitted_at, ended_at) && int8range(1715000000000, 1715086400000) ORDER BY id DESC LIMIT 10001) day;

\echo A report of a day, by account and user
SELECT count(*) FROM (
    SELECT r.account, j.username, count(*), sum(r.cpu_millis) FROM run r JOIN job j ON j.id = r.job
    WHERE lasted(r.placed_at, r.freed_at) && int8range(1715000000000, 1715086400000) GROUP BY 1, 2) report;
