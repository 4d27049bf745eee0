-- When an operator last reset what a user, or with an empty name all users, have used in an account. What was used
-- before, in epoch milliseconds, no longer counts for fair share and budgets; sums and charges stay.
CREATE TABLE usage_reset (
    account  text   NOT NULL,
    username text   NOT NULL,
    at       bigint NOT NULL,
    author   text   NOT NULL,
    PRIMARY KEY (account, username)
);
