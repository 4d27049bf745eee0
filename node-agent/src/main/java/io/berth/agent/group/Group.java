package io.berth.agent.group;

import io.berth.contracts.Consumption;
import io.berth.contracts.Isolation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// All processes of a run's part on this node. It is made for one run and never used for another.
public interface Group {

    /// The files into which a process writes `0` to enter, in this order.
    List<Path> entrances();

    /// Its folders in the kernel's trees: whoever is in one of them or below is in it. None where
    /// the kernel holds no groups.
    default List<Path> folders() {
        return List.of();
    }

    /// Moves a process that is in it, or in one of its children or its parent, here.
    default void take(long pid) throws IOException {
        for (Path entrance : entrances()) {
            ControlFiles.write(entrance, Long.toString(pid));
        }
    }

    /// The numbers of its children: a run's group has those of its steps, a step's those of its
    /// tasks.
    default Set<Integer> children() throws IOException {
        return Set.of();
    }

    /// The group of a step of the run, or of a task of the step, which may not be there; nothing
    /// where the kernel holds no groups. What it has not is its parent's.
    default Optional<Group> child(int number) {
        return Optional.empty();
    }

    /// Whether what its children use is counted for each of them.
    default boolean countsChildren() {
        return false;
    }

    /// Makes it. What of its limits is set it tells by [#enforced].
    ///
    /// @throws IOException if it cannot be made, as where the kernel holds no groups
    default Group makeChild(int number, ChildLimits limits) throws IOException {
        throw new IOException("the kernel holds no groups");
    }

    /// What is set and was read back from the kernel.
    Set<Isolation> enforced();

    /// The processes in it, by number.
    Set<Long> members() throws IOException;

    /// Whether nothing is in it, which costs less to know than who is.
    default boolean isEmpty() throws IOException {
        return members().isEmpty();
    }

    /// Whether a process is in it.
    default boolean has(long pid) throws IOException {
        return members().contains(pid);
    }

    /// Sends KILL to all that are in it now, so that none of them can start another first where the
    /// kernel helps.
    void kill() throws IOException;

    /// What it has used so far.
    Consumption usage() throws IOException;

    /// Whether the kernel killed one of it for want of memory. Children that were removed do not
    /// count.
    boolean outOfMemory() throws IOException;

    /// Removes it, empty.
    ///
    /// @throws IOException if a process is still in it
    void remove() throws IOException;

    /// Stops all that are in it where they are.
    void suspend() throws IOException;

    /// Lets all that are in it go on. Those that were not stopped are not disturbed.
    void resume() throws IOException;

    /// Sends a signal to all that are in it.
    ///
    /// @param number the signal's
    default void signal(int number) throws IOException {
        for (long pid : members()) {
            Kill.send(pid, number);
        }
    }

    /// Sends TERM to all that are in it.
    default void terminate() throws IOException {
        signal(Kill.TERM);
    }
}
