package io.berth.priority;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.LogPosition;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.CellStatus;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Prices;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.ConfigEntry.Weights;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.topic.Topics;
import java.util.List;
import java.util.Map;

/// Records as the other services write them.
final class Samples {

    static final int WEEK = 7 * 86_400;

    private Samples() {}

    /// A revision with two accounts and two QOS, and these weights for job size and QOS.
    static List<ConfigEntry> configuration(long revision, int jobSize, int qos) {
        return List.of(
                new Cluster(
                        new Part(revision, 1, 7),
                        "c",
                        "default",
                        "normal",
                        WEEK,
                        WEEK,
                        false,
                        new Weights(1000, 10_000, jobSize, 0, qos),
                        new Prices(1000, 0, 0, Map.of())),
                new Partition(
                        new Part(revision, 2, 7), "batch", true, List.of("ALL"), 0, 0, 0, 1, 1, 0),
                new Qos(new Part(revision, 3, 7), "normal", 0),
                new Qos(new Part(revision, 4, 7), "high", 100),
                new Account(new Part(revision, 5, 7), "team_a", null, 50),
                new Account(new Part(revision, 6, 7), "default", null, 50),
                new Association(new Part(revision, 7, 7), "team_a", "alice", 1, true));
    }

    static JobDescription job(String user, String account, String qos) {
        return new JobDescription(
                user,
                account,
                "batch",
                qos,
                "job",
                new ResourceRequest(1, 1, 8, MemoryRequest.perNode(1024), GpuRequest.NONE),
                LaunchMode.BATCH,
                3600,
                10,
                true);
    }

    static Submitted submitted(long id, JobDescription job) {
        return new Submitted(new JobId(id), job, job.user(), spec(), null);
    }

    static JobStatus status(long id, JobDescription job, JobState state) {
        return status(id, job, state, 0, Rank.NONE);
    }

    /// @param submission its offset
    static JobStatus status(
            long id, JobDescription job, JobState state, long submission, Rank rank) {
        return new JobStatus(
                new JobId(id),
                job,
                job.user(),
                spec(),
                null,
                submission,
                1,
                state,
                Reason.NONE,
                rank,
                null,
                List.of(),
                state.terminal() ? 2 : 0,
                null,
                null,
                null);
    }

    static NodeStatus node(String name, int cpus) {
        var inventory =
                new Inventory(
                        1, cpus, 1, cpus, 1024, List.of(), List.of(), true, null, "linux", "amd64");
        var node = new NodeName(name);
        return new NodeStatus(
                node,
                1,
                0,
                NodeStatus.Presence.UP,
                new NodeSeen(node, "n", "m", "b", "v", inventory, List.of(), 0));
    }

    static CellStatus cell(int cell, long nextSubmission) {
        return new CellStatus(
                cell,
                1,
                1,
                List.of(new LogPosition(Topics.SUBMISSIONS.name(), "id", cell, nextSubmission)),
                0,
                1,
                "");
    }

    private static SpecReference spec() {
        return new SpecReference(0, 0, "0".repeat(64));
    }
}
