-- What a job asked for, by the names that limits use, memory in MiB: {"cpu":8,"mem":800,"node":8}; null of jobs that ended before.
ALTER TABLE job
    ADD COLUMN requested text;
