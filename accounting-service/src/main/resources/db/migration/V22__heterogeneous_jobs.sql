-- The first component of the heterogeneous job that a job is one of; null for a job alone.
ALTER TABLE job
    ADD COLUMN het_job bigint;
CREATE INDEX job_by_het_job ON job (het_job) WHERE het_job IS NOT NULL;
