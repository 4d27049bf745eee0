-- Which GPUs a run holds or held, by UUID.
ALTER TABLE run ADD COLUMN gpu_uuids text NOT NULL DEFAULT '';
