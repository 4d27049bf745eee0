-- How usage was forgotten from when on, in epoch milliseconds; without a row by what is in force.
CREATE TABLE decay_rule (
    since             bigint PRIMARY KEY,
    half_life_seconds bigint NOT NULL,
    usage_reset       text   NOT NULL
);
