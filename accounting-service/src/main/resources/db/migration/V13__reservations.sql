-- The reservation that a job uses; null is none.
ALTER TABLE job ADD COLUMN reservation text;
