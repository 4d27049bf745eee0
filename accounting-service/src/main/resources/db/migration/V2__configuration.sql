-- Each revision of the cluster's configuration, whole: who made it, and whether the config topic has it.
CREATE TABLE configuration (
    revision    bigint  PRIMARY KEY,
    document    text    NOT NULL,
    author      text    NOT NULL,
    changed_at  bigint  NOT NULL,
    file_sha256 text,
    published   boolean NOT NULL
);

CREATE INDEX job_live ON job (account, username) WHERE ended_at = 0;
