-- All partitions in which a job may start, each between commas; null is its partition alone.
ALTER TABLE job
    ADD COLUMN partitions text;
-- What had been used when it was reset last: a budget that does not decay counts what was used since.
ALTER TABLE usage
    ADD COLUMN reset_cpu_millis        bigint NOT NULL DEFAULT 0,
    ADD COLUMN reset_memory_mib_millis bigint NOT NULL DEFAULT 0,
    ADD COLUMN reset_gpu_millis        bigint NOT NULL DEFAULT 0,
    ADD COLUMN reset_node_millis       bigint NOT NULL DEFAULT 0,
    ADD COLUMN reset_billing_micros    bigint NOT NULL DEFAULT 0,
    ADD COLUMN reset_gpu_type_millis   text,
    ADD COLUMN reset_wall_millis       bigint NOT NULL DEFAULT 0;
