package io.berth.core.engine;

import java.util.List;

/// Nodes for a job that must be cleared of others first.
///
/// @param nodes larger parts first
/// @param victims jobs that must give way, the dearest first; empty if only plans of jobs behind it
///   stand in the way
/// @param overtakes whether plans of jobs ahead stand in the way too, which give way for it
///   ([Decisions#yields])
public record Clearing(int[] nodes, List<Long> victims, boolean overtakes) {

    /// One that moves no expected start of a job ahead.
    Clearing(int[] nodes, List<Long> victims) {
        this(nodes, victims, false);
    }
}
