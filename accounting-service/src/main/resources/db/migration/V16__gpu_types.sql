-- What was used of each type of GPU, and what of it still counts, as JSON: budgets of one type need it. What was used
-- before counts for no such budget.
ALTER TABLE run ADD COLUMN gpu_type_millis text;
ALTER TABLE usage
    ADD COLUMN gpu_type_millis         text,
    ADD COLUMN decayed_gpu_type_millis text;
