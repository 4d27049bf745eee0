package io.berth.cli;

import io.berth.client.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// What associations have: jobs, usage and shares, found at once for each of very many.
final class AssocIndex {

    /// As a number of shares: those of the account above.
    private static final long PARENT_SHARES = Integer.MAX_VALUE;

    private final AdminTree tree;
    private final Map<Key, List<JobView>> jobs = new HashMap<>();
    private final Map<Key, JsonObject> shares = new HashMap<>();

    /// Of those right below an account, together.
    private final Map<String, Long> levels = new HashMap<>();

    /// @param user "" for an account
    /// @param partition "" for all
    private record Key(String account, String user, String partition) {}

    AssocIndex(
            AdminTree tree, List<AdminTree.Row> rows, List<JobView> jobs, List<JsonObject> shares) {
        this.tree = tree;
        jobs.forEach(this::add);
        for (JsonObject it : shares) {
            this.shares.putIfAbsent(new Key(it.text("account"), it.text("user"), ""), it);
        }
        for (AdminTree.Row row : rows) {
            if (row.partition().isEmpty() && raw(row) != PARENT_SHARES) {
                levels.merge(tree.above(row), raw(row), Long::sum);
            }
        }
    }

    /// A job is its user's, and of his account and all above it; there and in its partition.
    private void add(JobView job) {
        String account = job.text("account");
        for (String partition : List.of("", job.text("partition"))) {
            add(new Key(account, job.text("user"), partition), job);
            tree.upwards(account).forEach(it -> add(new Key(it, "", partition), job));
        }
    }

    private void add(Key key, JobView job) {
        jobs.computeIfAbsent(key, _ -> new ArrayList<>()).add(job);
    }

    /// Its jobs; of an account also those of accounts below it.
    List<JobView> jobs(AdminTree.Row row) {
        return jobs.getOrDefault(new Key(row.account(), row.user(), row.partition()), List.of());
    }

    JsonObject share(AdminTree.Row row) {
        return shares.getOrDefault(new Key(row.account(), row.user(), ""), JsonObject.EMPTY);
    }

    /// The shares of all that stand beside it.
    long level(AdminTree.Row row) {
        return levels.getOrDefault(tree.above(row), 0L);
    }

    static long raw(AdminTree.Row row) {
        return row.shares().equals("parent") ? PARENT_SHARES : Long.parseLong(row.shares());
    }
}
