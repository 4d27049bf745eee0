-- What the processes of a run used, by the kernel's count; null where nobody counted.
ALTER TABLE run
    ADD COLUMN used_cpu_millis bigint,
    ADD COLUMN max_memory_mib  bigint,
    ADD COLUMN read_mib        bigint,
    ADD COLUMN written_mib     bigint;
