-- How usage was forgotten from when on, in epoch milliseconds; without a row by what is in force.
CREATE TABLE decay_rule (
    since             bigint PRIMARY KEY,
    half_life_seconds bigint NOT NULL,
    usage_reset       text   NOT NULL
);

-- What was used since it was reset last, up to decayed_at: budgets that do not decay count it. Of what was reset before
-- there was this, what was used from now on counts.
ALTER TABLE usage
    ADD COLUMN since_reset_cpu_millis        bigint NOT NULL DEFAULT 0,
    ADD COLUMN since_reset_memory_mib_millis bigint NOT NULL DEFAULT 0,
    ADD COLUMN since_reset_gpu_millis        bigint NOT NULL DEFAULT 0,
    ADD COLUMN since_reset_node_millis       bigint NOT NULL DEFAULT 0,
    ADD COLUMN since_reset_billing_micros    bigint NOT NULL DEFAULT 0,
    ADD COLUMN since_reset_gpu_type_millis   text,
    ADD COLUMN since_reset_wall_millis       bigint NOT NULL DEFAULT 0;
UPDATE usage u SET
    since_reset_cpu_millis = cpu_millis,
    since_reset_memory_mib_millis = memory_mib_millis,
    since_reset_gpu_millis = gpu_millis,
    since_reset_node_millis = node_millis,
    since_reset_billing_micros = billing_micros,
    since_reset_gpu_type_millis = gpu_type_millis,
    since_reset_wall_millis = wall_millis
WHERE NOT EXISTS (
    SELECT FROM usage_reset r WHERE r.account = u.account AND r.username IN ('', u.username));
