package io.berth.cli;

import io.berth.contracts.JobState;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Slurm's job states as people name them in options.
final class States {

    /// All that Slurm 22.05 knows, in its order; Berth's jobs are never in some of them.
    static final List<String> NAMES =
            List.of(
                    "PENDING",
                    "RUNNING",
                    "SUSPENDED",
                    "COMPLETED",
                    "CANCELLED",
                    "FAILED",
                    "TIMEOUT",
                    "NODE_FAIL",
                    "PREEMPTED",
                    "BOOT_FAIL",
                    "DEADLINE",
                    "OUT_OF_MEMORY",
                    "COMPLETING",
                    "CONFIGURING",
                    "RESIZING",
                    "RESV_DEL_HOLD",
                    "REQUEUED",
                    "REQUEUE_FED",
                    "REQUEUE_HOLD",
                    "REVOKED",
                    "SIGNALING",
                    "SPECIAL_EXIT",
                    "STAGE_OUT",
                    "STOPPED");

    private static final List<String> CODES =
            List.of(
                    "PD", "R", "S", "CD", "CA", "F", "TO", "NF", "PR", "BF", "DL", "OOM", "CG",
                    "CF", "RS", "RD", "RQ", "RF", "RH", "RV", "SI", "SE", "SO", "ST");

    private States() {}

    /// Full names of the states given by names or codes in any case, or by `all`; without those
    /// that are [#unknown].
    static Set<String> named(List<String> given) {
        var states = new LinkedHashSet<String>();
        for (String state : given) {
            if (state.equalsIgnoreCase("all")) {
                states.addAll(NAMES);
            } else if (index(state) >= 0) {
                states.add(NAMES.get(index(state)));
            }
        }
        return states;
    }

    /// Those given that no state is called by.
    static List<String> unknown(List<String> given) {
        var unknown = new ArrayList<String>();
        for (String state : given) {
            if (!state.equalsIgnoreCase("all") && index(state) < 0) {
                unknown.add(state);
            }
        }
        return unknown;
    }

    private static int index(String state) {
        for (int i = 0; i < NAMES.size(); i++) {
            if (NAMES.get(i).equalsIgnoreCase(state) || CODES.get(i).equalsIgnoreCase(state)) {
                return i;
            }
        }
        return -1;
    }

    /// Of these states those that jobs of Berth can be in.
    static List<String> known(Set<String> states) {
        var known = new ArrayList<String>();
        for (JobState state : JobState.values()) {
            if (states.contains(state.name())) {
                known.add(state.name());
            }
        }
        return known;
    }

    /// Whether a job is over in each of them.
    static boolean ends(Set<String> states) {
        for (JobState state : JobState.values()) {
            if (!state.terminal() && states.contains(state.name())) {
                return false;
            }
        }
        return true;
    }

    /// The place of a state in Slurm's order, for sorting.
    static int rank(String state) {
        int rank = NAMES.indexOf(state);
        return rank < 0 ? NAMES.size() : rank;
    }
}
