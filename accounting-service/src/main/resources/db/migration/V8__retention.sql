-- What was written to the archive: of each month, by its first moment in UTC in epoch milliseconds, the jobs that ended
-- in it, in one part, or in another one if some came late. They are deleted then.
CREATE TABLE archived (
    month   bigint  NOT NULL,
    part    integer NOT NULL,
    jobs    bigint  NOT NULL,
    runs    bigint  NOT NULL,
    deleted boolean NOT NULL,
    PRIMARY KEY (month, part)
);

-- What deleted runs were charged: with those that are there it makes the usage.
CREATE TABLE purged_charge (
    account           text   NOT NULL,
    username          text   NOT NULL,
    cpu_millis        bigint NOT NULL,
    memory_mib_millis bigint NOT NULL,
    gpu_millis        bigint NOT NULL,
    node_millis       bigint NOT NULL,
    billing_micros    bigint NOT NULL,
    PRIMARY KEY (account, username)
);

CREATE INDEX job_by_end ON job (ended_at) WHERE ended_at <> 0;
