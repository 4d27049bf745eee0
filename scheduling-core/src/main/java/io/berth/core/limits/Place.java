package io.berth.core.limits;

import io.berth.contracts.Limit;
import io.berth.contracts.Limits;

/// A place whose limits hold for a job: a QOS, its association, or an account above.
///
/// @param key of what all its jobs use together
/// @param userKey of what the user's jobs in it use; in an association the same as `key`
record Place(boolean ofQos, Limits limits, String key, String userKey, String accountKey) {

    String keyOf(Limit limit) {
        return switch (limit) {
            case MAX_JOBS, MAX_SUBMIT_JOBS, MAX_TRES_PER_USER -> userKey;
            case MAX_JOBS_PER_ACCOUNT, MAX_SUBMIT_JOBS_PER_ACCOUNT, MAX_TRES_PER_ACCOUNT ->
                    accountKey;
            case GRP_JOBS,
                    GRP_SUBMIT_JOBS,
                    GRP_TRES,
                    GRP_TRES_MINS,
                    GRP_TRES_RUN_MINS,
                    GRP_WALL,
                    MAX_TRES,
                    MAX_TRES_PER_NODE,
                    MAX_TRES_MINS,
                    MAX_WALL,
                    MIN_TRES ->
                    key;
        };
    }
}
