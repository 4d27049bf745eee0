package io.berth.contracts.event;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import org.jspecify.annotations.Nullable;

/// A gateway asks a node for what a job has written there. The node's agent comes to the session
/// and sends it; it answers only while the one who asked waits, which is some seconds. What it
/// reads is a file that a script it was ordered to run has as its output, and it opens it as the
/// job's user: no path comes from here.
///
/// The proof is made with the [key][io.berth.contracts.JobSpec#key] of the job, as that of a
/// [StepRequest]: who may write here, and may not read specifications, is told nothing of what jobs
/// have written.
///
/// @param user whose job it is
/// @param error whether the file for errors is asked for, if the job has one of its own
/// @param offset the first byte; negative counts from the end
/// @param follow whether to go on until the job's run has ended
/// @param session where the gateway takes the answer, such as `ws://gateway:7600/v1/sessions/ab12`
/// @param secret by which the agent is known there, good for one connection
/// @param proof HMAC-SHA256 of all the rest, in base64; null if an older gateway wrote it
public record OutputRequest(
        NodeName node,
        JobId job,
        String user,
        boolean error,
        long offset,
        boolean follow,
        String session,
        String secret,
        @Nullable String proof) {

    /// The same of one who knows the job's key.
    public OutputRequest proven(String key) {
        return new OutputRequest(
                node, job, user, error, offset, follow, session, secret, proof(key));
    }

    /// Whether who wrote it knew the job's key.
    public boolean provenBy(String key) {
        return proof != null && Proof.same(proof(key), proof);
    }

    private String proof(String key) {
        return Proof.of(
                key,
                "output",
                node.value(),
                job.toString(),
                Boolean.toString(error),
                Long.toString(offset),
                Boolean.toString(follow),
                session,
                secret,
                user);
    }
}
