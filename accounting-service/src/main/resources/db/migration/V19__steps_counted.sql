-- What the kernel counted of a step in a group of its own; null where it had none.
ALTER TABLE step
    ADD COLUMN used_max_memory_mib bigint,
    ADD COLUMN out_of_memory       boolean NOT NULL DEFAULT false;
