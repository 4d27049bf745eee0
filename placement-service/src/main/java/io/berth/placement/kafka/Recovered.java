package io.berth.placement.kafka;

import io.berth.contracts.event.CellStatus;
import io.berth.core.state.CellState;

/// What a tenure begins with: the cell as its last round left it, and the only pen that can write
/// it. Whoever gets it closes inputs and rounds.
///
/// @param last the cell's last round, or round 0
public record Recovered(CellState state, CellStatus last, InputReader inputs, RoundWriter rounds) {}
