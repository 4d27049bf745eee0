-- A time that something lasted, both ends included; 0 is no end yet. What ends before it began, which the balance
-- tells of, counts as a moment: a range cannot go backwards.
CREATE FUNCTION lasted(began bigint, ended bigint) RETURNS int8range
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT int8range(began, CASE ended WHEN 0 THEN NULL ELSE greatest(began, ended) END, '[]') $$;

DROP INDEX job_by_time;
DROP INDEX run_by_time;
CREATE INDEX job_by_time ON job USING gist (lasted(submitted_at, ended_at));
CREATE INDEX run_by_time ON run USING gist (lasted(placed_at, freed_at));

-- A month's rows are deleted in the transaction that writes its files.
ALTER TABLE archived DROP COLUMN deleted;
