-- When a job was over, later than any time of one that is not: what a time is asked for can use an index whole.
ALTER TABLE job
    ADD COLUMN over_at bigint GENERATED ALWAYS AS (CASE ended_at WHEN 0 THEN 9223372036854775807 ELSE ended_at END) STORED;
DROP INDEX job_by_user;
CREATE INDEX job_by_user ON job (username, submitted_at, over_at);
CREATE INDEX job_by_account ON job (account, submitted_at, over_at);
DROP INDEX job_by_end;
CREATE INDEX job_by_end ON job (over_at);

-- Runs that held anything in a time, however long ago that is.
DROP INDEX run_by_time;
CREATE INDEX run_by_time ON run USING gist (int8range(placed_at, nullif(freed_at, 0)));
