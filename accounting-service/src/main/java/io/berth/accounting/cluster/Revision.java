package io.berth.accounting.cluster;

import org.jspecify.annotations.Nullable;

/// A revision of the cluster's configuration: what it says, and who made it when.
///
/// @param changedAt epoch milliseconds
/// @param fileSha256 of the file that it was read from; null if it was made by a command
/// @param published whether the config topic has it, or a later one
public record Revision(
        long number,
        ClusterFile file,
        String author,
        long changedAt,
        @Nullable String fileSha256,
        boolean published) {}
