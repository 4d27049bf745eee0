-- What each node had, and whether it could be used: from `since` up to `until`, which is 0 of what lasts. A node that
-- nobody knows has no span.
CREATE TABLE node_span (
    node       text    NOT NULL,
    since      bigint  NOT NULL,
    until      bigint  NOT NULL,
    up         boolean NOT NULL,
    cpus       integer NOT NULL,
    memory_mib bigint  NOT NULL,
    gpus       integer NOT NULL,
    PRIMARY KEY (node, since)
);

CREATE INDEX node_span_by_time ON node_span (until, since);
