-- What a job wants, or had, of a shared GPU, such as gres/mps=50; null is none.
ALTER TABLE job ADD COLUMN gpu_part text;
