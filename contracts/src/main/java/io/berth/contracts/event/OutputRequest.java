package io.berth.contracts.event;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;

/// A gateway asks a node for what a job has written there. The node's agent comes to the session
/// and sends it; it answers only while the one who asked waits, which is some seconds. What it
/// reads is a file that a script it was ordered to run has as its output, and it opens it as the
/// job's user: no path comes from here.
///
/// @param user whose job it is: an id may have been another's before the log was lost
/// @param error whether the file for errors is asked for, if the job has one of its own
/// @param offset the first byte; negative counts from the end
/// @param follow whether to go on until the job's run has ended
/// @param session where the gateway takes the answer, such as `ws://gateway:7600/v1/sessions/ab12`
/// @param secret by which the agent is known there, good for one connection
public record OutputRequest(
        NodeName node,
        JobId job,
        String user,
        boolean error,
        long offset,
        boolean follow,
        String session,
        String secret) {}
