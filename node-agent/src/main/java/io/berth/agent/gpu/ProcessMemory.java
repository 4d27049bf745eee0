package io.berth.agent.gpu;

import org.jspecify.annotations.Nullable;

/// What one process has of the memory of a GPU, or of an instance of one.
///
/// @param gpu its UUID
/// @param process its number
/// @param mib null if the driver does not tell
public record ProcessMemory(String gpu, long process, @Nullable Long mib) {}
