package io.berth.simulation;

import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.core.state.CellState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A machine with an agent in a simulated mesh.
interface MeshNode {

    NodeName name();

    /// Whether it is this machine that has the node's name.
    boolean registered(NodeStatus node);

    /// What heartbeats say of it.
    Presence presence(NodeStatus known);

    /// Whether it has ever had that run.
    boolean prepared(RunId run);

    /// Runs whose script runs on this machine now, or stands still.
    List<RunId> scripts();

    /// The agent dies.
    void kill();

    /// The story is over.
    void end();

    /// The agent is told to shut down and to take its runs with it.
    void shutDown();

    void reboot(boolean spoolLost);

    /// From now on the log cannot be reached, or can again.
    void cutOff(boolean now);

    /// It has not been heard for so long that it is taken for down, should it be silent now.
    void silentForLong();

    /// A copy of the machine, or a second agent on it, registers, while placement hears the one
    /// that it knows: of one that is silent nobody could tell that it lives. Whether it was so.
    boolean copied(CellState known);

    /// It is cut off for so long that it ends its runs.
    ///
    /// @return how long that takes, in milliseconds
    long fence();

    /// Time has passed.
    void look();

    /// The agent starts, or begins anew.
    void register();

    boolean alive();

    /// Whether its agent was refused for good, and yet placement knows its machine: what it had on
    /// its way before came later.
    boolean refusedItsOwn(CellState known);

    /// Whether it waits for an answer, and does not ask again by itself.
    boolean unanswered();

    /// Obeys orders, or some of them.
    ///
    /// @param all does all that there is to do
    /// @return the runs whose code it started
    List<RunId> obey(boolean all);

    /// Writes so many of the reports that wait.
    void report(int most);

    /// The next report is written, and its agent does not hear that it is.
    void reportUnheard();

    boolean hasReports();

    /// Whether what it says of its end stands in the log; where that is known.
    boolean toldEnd(RunId run);

    /// Whether placement and its agent agree on where it stands; where that is known.
    boolean settled(CellState state);

    /// Ends a run whose script can end by itself; nothing if there is none.
    @Nullable RunId exit(int code);
}
