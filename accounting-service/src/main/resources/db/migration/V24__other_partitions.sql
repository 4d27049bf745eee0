-- All partitions in which a job may start, each between commas; null is its partition alone.
ALTER TABLE job
    ADD COLUMN partitions text;
