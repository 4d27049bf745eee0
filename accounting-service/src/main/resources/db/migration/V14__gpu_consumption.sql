-- What the GPUs of a run did, as their driver told; null where nobody measured.
ALTER TABLE run
    ADD COLUMN measured_gpus      integer,
    ADD COLUMN gpu_use_percent    integer,
    ADD COLUMN max_gpu_memory_mib bigint,
    ADD COLUMN gpu_millijoules    bigint;
