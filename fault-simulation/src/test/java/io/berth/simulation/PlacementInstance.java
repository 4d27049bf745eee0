package io.berth.simulation;

import io.berth.simulation.SimulatedPlacement.Heartbeats;
import java.util.List;
import java.util.random.RandomGenerator;

/// An instance of placement in a simulated mesh.
interface PlacementInstance {

    /// Whether it leads, or is about to, as far as it knows.
    boolean leading();

    /// Is elected. Whether it leads from now on.
    boolean lead();

    void die();

    /// From now on the log cannot be reached, or can again. Whatever it was about, it waits.
    void cutOff(boolean now);

    /// Its clock is off by so much from now on.
    void skew(long millis);

    /// Goes on for a moment; what was committed.
    ///
    /// @param now the time that is right
    /// @param heartbeats asked when the inputs are decided
    List<Message> step(long now, Heartbeats heartbeats, RandomGenerator random);

    /// Ends the round that it is in, if it is in one, and takes another; what was committed.
    List<Message> wholeRound(long now, Heartbeats heartbeats, RandomGenerator random);

    /// Now and then, where it can be seen: that what it knows is what the log says.
    void assertRebuilds(RandomGenerator random);
}
