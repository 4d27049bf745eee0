package io.berth.contracts.event;

import org.jspecify.annotations.Nullable;

/// An event as it was, kept in another one.
///
/// @param type the CloudEvents type under which it is written, `berth.runs.v1/Ended`; of what is
///   written nowhere, a name without a topic
/// @param offset where it stood in its topic, if that matters
/// @param event its JSON
public record Recorded(String type, @Nullable Long offset, String event) {}
