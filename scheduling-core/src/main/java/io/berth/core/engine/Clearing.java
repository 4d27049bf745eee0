package io.berth.core.engine;

import java.util.List;

/// Nodes for a job that must be cleared of others first.
///
/// @param nodes larger parts first
/// @param victims jobs that must give way, the dearest first; empty if only plans of jobs behind it
///   stand in the way
public record Clearing(int[] nodes, List<Long> victims) {}
