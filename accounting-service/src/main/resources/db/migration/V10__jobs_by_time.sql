-- Jobs that waited or ran in a time, and runs that held anything in it, however long ago that is. What lasts has no end.
CREATE INDEX job_by_time ON job USING gist (int8range(submitted_at, nullif(ended_at, 0)));
DROP INDEX run_by_time;
CREATE INDEX run_by_time ON run USING gist (int8range(placed_at, nullif(freed_at, 0)));
