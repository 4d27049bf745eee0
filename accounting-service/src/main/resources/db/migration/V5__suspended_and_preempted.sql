-- How long a run stood still: the suspensions that are over, when the last of them was, and since when it
-- stands still now. Why it was cut short though its job went on; for whom it had to give way, and at what cost.
ALTER TABLE run
    ADD COLUMN suspended_millis bigint NOT NULL DEFAULT 0,
    ADD COLUMN resumed_at       bigint NOT NULL DEFAULT 0,
    ADD COLUMN suspended_at     bigint NOT NULL DEFAULT 0,
    ADD COLUMN ending           text,
    ADD COLUMN preempted_by     bigint,
    ADD COLUMN preempted_at     bigint NOT NULL DEFAULT 0,
    ADD COLUMN preempt_mode     text,
    ADD COLUMN preempt_reason   text,
    ADD COLUMN lost_gpu_millis  bigint NOT NULL DEFAULT 0;
