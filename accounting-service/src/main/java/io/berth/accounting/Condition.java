package io.berth.accounting;

/// How a part of the service is: what its health check says.
public sealed interface Condition {

    /// It does its work.
    record Running() implements Condition {}

    /// It waits for something that is not there yet, or not any more, and goes on by itself.
    record Waiting(String what) implements Condition {}

    /// It cannot go on without a person.
    record Stopped(String why) implements Condition {}
}
