-- What the kernel counted of a step's tasks one by one; null where it did not. Of the tasks with the least and the most of
-- something their ranks.
ALTER TABLE step
    ADD COLUMN tasks_counted     integer,
    ADD COLUMN tasks_cpu_millis  bigint,
    ADD COLUMN tasks_memory_mib  bigint,
    ADD COLUMN tasks_read_mib    bigint,
    ADD COLUMN tasks_written_mib bigint,
    ADD COLUMN least_cpu_millis  bigint,
    ADD COLUMN least_cpu_task    integer,
    ADD COLUMN most_memory_mib   bigint,
    ADD COLUMN most_memory_task  integer,
    ADD COLUMN most_read_mib     bigint,
    ADD COLUMN most_read_task    integer,
    ADD COLUMN most_written_mib  bigint,
    ADD COLUMN most_written_task integer;
