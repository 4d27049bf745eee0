-- Usage is kept by partition and QOS too, and what still counts of every resource and of wall time: limits of sums
-- over time need it. What was used before counts for fair share as it did, but for no budget.
ALTER TABLE usage
    ADD COLUMN partition                 text   NOT NULL DEFAULT '',
    ADD COLUMN qos                       text   NOT NULL DEFAULT '',
    ADD COLUMN wall_millis               bigint NOT NULL DEFAULT 0,
    ADD COLUMN decayed_cpu_millis        bigint NOT NULL DEFAULT 0,
    ADD COLUMN decayed_memory_mib_millis bigint NOT NULL DEFAULT 0,
    ADD COLUMN decayed_gpu_millis        bigint NOT NULL DEFAULT 0,
    ADD COLUMN decayed_node_millis       bigint NOT NULL DEFAULT 0,
    ADD COLUMN decayed_wall_millis       bigint NOT NULL DEFAULT 0;
ALTER TABLE usage RENAME COLUMN decayed_micros TO decayed_billing_micros;
ALTER TABLE usage DROP CONSTRAINT usage_pkey;
ALTER TABLE usage ADD PRIMARY KEY (account, username, partition, qos);

-- Which account a run was charged to: that of its job may be changed while it waits again.
ALTER TABLE run ADD COLUMN account text NOT NULL DEFAULT '';
UPDATE run r SET account = j.account FROM job j WHERE j.id = r.job;
ALTER TABLE run ALTER COLUMN account DROP DEFAULT;
