-- The steps of a run, once its part on the node is over. Times are the node's clock. Without an exit a step was ended
-- with its run.
CREATE TABLE step (
    job             bigint  NOT NULL,
    lease           integer NOT NULL,
    node            text    NOT NULL,
    number          integer NOT NULL,
    name            text    NOT NULL,
    tasks           integer NOT NULL,
    cpus            integer NOT NULL,
    gpus            integer NOT NULL,
    began_at        bigint  NOT NULL,
    ended_at        bigint  NOT NULL,
    exit_code       integer,
    exit_signal     integer,
    used_cpu_millis bigint,
    PRIMARY KEY (job, lease, node, number)
);

-- How many steps there were beyond those.
ALTER TABLE run ADD COLUMN more_steps integer NOT NULL DEFAULT 0;
