package io.berth.submit;

/// Who sends a request.
///
/// @param operator whether he may act for every user
/// @param host where the request comes from
public record Caller(String user, boolean operator, String host) {
    /// Whether he may submit for that user, or cancel that user's jobs.
    public boolean mayActFor(String other) {
        return operator || user.equals(other);
    }
}
