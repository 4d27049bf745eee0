package io.berth.contracts;

/// A client's name for one submission, with the SHA-256 (hex) of the request it stands for: the
/// same key with another request is refused.
public record IdempotencyKey(String key, String requestSha256) {}
