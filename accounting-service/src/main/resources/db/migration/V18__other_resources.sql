-- What a job wants of resources other than GPUs, such as gres/nic=4; null is none.
ALTER TABLE job ADD COLUMN gres text;
