package io.berth.submit;

/// Who sends a request.
///
/// @param operator whether he may act for every user
/// @param host where the request comes from
/// @param gateway where nodes reach the gateway that he asks, such as `ws://gateway:7600`; empty if
///   that is not known
public record Caller(String user, boolean operator, String host, String gateway) {

    /// One who asks at a gateway that nodes need not reach.
    public Caller(String user, boolean operator, String host) {
        this(user, operator, host, "");
    }

    /// Whether he may submit for that user, or cancel that user's jobs.
    public boolean mayActFor(String other) {
        return operator || user.equals(other);
    }
}
