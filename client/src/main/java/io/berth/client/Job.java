package io.berth.client;

import io.berth.contracts.JobState;
import java.util.List;

/// A job as the mesh told it last.
///
/// @param reason why it waits, or why it ended, in Slurm's words; `None`
/// @param nodes that it has, or had
/// @param signal that ended it, 0 if none did
/// @param fields all that was told, by the names of the API
public record Job(
        long id,
        String name,
        String user,
        String account,
        String partition,
        JobState state,
        String reason,
        List<String> nodes,
        int exitCode,
        int signal,
        JsonObject fields) {

    /// A job as `GET /v1/jobs/{id}` tells of it.
    public static Job of(JsonObject fields) {
        return new Job(
                fields.number("id"),
                fields.text("name"),
                fields.text("user"),
                fields.text("account"),
                fields.text("partition"),
                JobState.valueOf(fields.text("state")),
                fields.text("reason"),
                List.copyOf(fields.texts("nodeNames")),
                (int) fields.number("exitCode"),
                (int) fields.number("signal"),
                fields);
    }

    /// Whether it has ended.
    public boolean over() {
        return state.terminal();
    }

    /// What a program that waited for it may exit with: its exit code, and 1 where a signal ended
    /// it, as sbatch(1) says, or it ended in any other way than by its script's exit.
    public int exitStatus() {
        boolean clean = state == JobState.COMPLETED && signal == 0;
        return exitCode != 0 ? exitCode : clean ? 0 : 1;
    }
}
