package io.berth.contracts.event;

/// The usage of one user in one account, running jobs included, decayed by half-life up to `asOf`.
///
/// @param asOf epoch milliseconds
/// @param billingMicros billing units × seconds, in millionths
public record Usage(String account, String user, long asOf, long billingMicros) {}
