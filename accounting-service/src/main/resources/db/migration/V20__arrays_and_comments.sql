-- The place of a job in its array, and what its owner says of it; null of jobs without, and of those that ended before.
ALTER TABLE job
    ADD COLUMN array_job      bigint,
    ADD COLUMN array_task     integer,
    ADD COLUMN array_throttle integer,
    ADD COLUMN comment        text;
CREATE INDEX job_by_array ON job (array_job, array_task) WHERE array_job IS NOT NULL;
