package io.berth.contracts.event;

import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;

/// A gateway asks a node to start a step in a run that is there: a process of the job's user, in
/// the run's group and limits, which comes to the session and is told there what to run.
///
/// The proof is made with the [key][io.berth.contracts.JobSpec#key] of the job, which stands in its
/// specification alone: who may write here, and may not read those, starts nothing.
///
/// @param session where the process comes, such as `ws://gateway:7600/v1/sessions/ab12`
/// @param secret by which it is known there, good for one connection
/// @param proof HMAC-SHA256 of all the rest, in base64
public record StepRequest(NodeName node, RunId run, String session, String secret, String proof) {

    /// The request of one who knows the job's key.
    public static StepRequest proven(
            NodeName node, RunId run, String session, String secret, String key) {
        return new StepRequest(node, run, session, secret, proof(node, run, session, secret, key));
    }

    /// Whether who wrote it knew the job's key.
    public boolean provenBy(String key) {
        return Proof.same(proof(node, run, session, secret, key), proof);
    }

    private static String proof(
            NodeName node, RunId run, String session, String secret, String key) {
        return Proof.of(key, "step", node.value(), run.toString(), session, secret);
    }
}
