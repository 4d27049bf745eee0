package io.berth.contracts.event;

import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

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

    private static final String ALGORITHM = "HmacSHA256";

    /// The request of one who knows the job's key.
    public static StepRequest proven(
            NodeName node, RunId run, String session, String secret, String key) {
        return new StepRequest(node, run, session, secret, proof(node, run, session, secret, key));
    }

    /// Whether who wrote it knew the job's key.
    public boolean provenBy(String key) {
        return MessageDigest.isEqual(bytes(proof(node, run, session, secret, key)), bytes(proof));
    }

    private static String proof(
            NodeName node, RunId run, String session, String secret, String key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(bytes(key), ALGORITHM));
            String said = String.join("\n", "step", node.value(), run.toString(), session, secret);
            return Base64.getEncoder().encodeToString(mac.doFinal(bytes(said)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
