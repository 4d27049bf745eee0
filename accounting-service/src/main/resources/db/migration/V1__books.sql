-- Times are cell time in epoch milliseconds; 0 is "not yet". Charges are exact integers.

CREATE TABLE job (
    id                 bigint PRIMARY KEY,
    name               text    NOT NULL,
    username           text    NOT NULL,
    account            text    NOT NULL,
    partition          text    NOT NULL,
    qos                text    NOT NULL,
    state              text    NOT NULL,
    reason             text    NOT NULL,
    exit_code          integer NOT NULL,
    exit_signal        integer NOT NULL,
    submitted_at       bigint  NOT NULL,
    started_at         bigint  NOT NULL,
    ended_at           bigint  NOT NULL,
    time_limit_seconds bigint  NOT NULL,
    nodes              integer NOT NULL,
    tasks              integer NOT NULL,
    cpus               integer NOT NULL,
    memory_mib         bigint  NOT NULL,
    gpus               integer NOT NULL,
    gpu_type           text,
    lease              integer NOT NULL,
    restarts           integer NOT NULL,
    cancelled_by       text,
    message            text
);

CREATE INDEX job_by_user ON job (username, submitted_at);
CREATE INDEX job_by_submission ON job (submitted_at);

-- A run is charged once: (job, lease) is its name.
CREATE TABLE run (
    job               bigint  NOT NULL REFERENCES job (id),
    lease             integer NOT NULL,
    node_list         text    NOT NULL,
    billing_rate      bigint  NOT NULL,
    placed_at         bigint  NOT NULL,
    started_at        bigint  NOT NULL,
    freed_at          bigint  NOT NULL,
    outcome           text,
    exit_code         integer NOT NULL,
    exit_signal       integer NOT NULL,
    cpu_millis        bigint  NOT NULL,
    memory_mib_millis bigint  NOT NULL,
    gpu_millis        bigint  NOT NULL,
    node_millis       bigint  NOT NULL,
    billing_micros    bigint  NOT NULL,
    PRIMARY KEY (job, lease)
);

CREATE INDEX run_holding ON run (job) WHERE freed_at = 0;

-- What the runs that are over have used: whole, and decayed up to decayed_at.
CREATE TABLE usage (
    account           text   NOT NULL,
    username          text   NOT NULL,
    cpu_millis        bigint NOT NULL,
    memory_mib_millis bigint NOT NULL,
    gpu_millis        bigint NOT NULL,
    node_millis       bigint NOT NULL,
    billing_micros    bigint NOT NULL,
    decayed_micros    bigint NOT NULL,
    decayed_at        bigint NOT NULL,
    PRIMARY KEY (account, username)
);

-- The next record to read: changed in the transaction of the rows that the records before it made.
CREATE TABLE log_position (
    topic       text    NOT NULL,
    partition   integer NOT NULL,
    topic_id    text    NOT NULL,
    next_offset bigint  NOT NULL,
    PRIMARY KEY (topic, partition)
);

CREATE TABLE dead_letter (
    topic         text    NOT NULL,
    partition     integer NOT NULL,
    record_offset bigint  NOT NULL,
    cause         text    NOT NULL,
    value         text    NOT NULL,
    PRIMARY KEY (topic, partition, record_offset)
);
