package io.berth.contracts;

import org.jspecify.annotations.Nullable;

/// What a node must be built of at least; 0 is any number. And how the job lies on it.
///
/// @param tmpMib of its temporary disk; null does not ask
/// @param tasksPerSocket tasks of the job on each socket at most; null is any number
/// @param threadsUsed threads of each of its cores that the job's tasks run on at most; null is all
public record NodeShape(
        int sockets,
        int coresPerSocket,
        int threadsPerCore,
        @Nullable Long tmpMib,
        @Nullable Integer tasksPerSocket,
        @Nullable Integer threadsUsed) {

    public static final NodeShape ANY = new NodeShape(0, 0, 0);

    public NodeShape {
        tmpMib = tmpMib == null || tmpMib == 0 ? null : tmpMib;
        if (tasksPerSocket != null && tasksPerSocket < 1) {
            throw new IllegalArgumentException(tasksPerSocket + " tasks on a socket");
        }
        if (threadsUsed != null && threadsUsed < 1) {
            throw new IllegalArgumentException(threadsUsed + " threads of a core");
        }
    }

    /// A shape of a job that uses all threads of its cores.
    public NodeShape(
            int sockets,
            int coresPerSocket,
            int threadsPerCore,
            @Nullable Long tmpMib,
            @Nullable Integer tasksPerSocket) {
        this(sockets, coresPerSocket, threadsPerCore, tmpMib, tasksPerSocket, null);
    }

    /// A shape that says nothing of tasks.
    public NodeShape(int sockets, int coresPerSocket, int threadsPerCore, @Nullable Long tmpMib) {
        this(sockets, coresPerSocket, threadsPerCore, tmpMib, null);
    }

    /// A shape that says nothing of disks.
    public NodeShape(int sockets, int coresPerSocket, int threadsPerCore) {
        this(sockets, coresPerSocket, threadsPerCore, null);
    }

    /// What a node is built of.
    public static NodeShape of(Inventory inventory) {
        return new NodeShape(
                inventory.sockets(),
                inventory.coresPerSocket(),
                inventory.threadsPerCore(),
                tmp(inventory));
    }

    private static @Nullable Long tmp(Inventory inventory) {
        Hardware hardware = inventory.hardware();
        return hardware == null ? null : (Long) hardware.tmpMib();
    }

    public boolean admits(Inventory inventory) {
        Long tmp = tmp(inventory);
        return inventory.sockets() >= sockets
                && inventory.coresPerSocket() >= coresPerSocket
                && inventory.threadsPerCore() >= threadsPerCore
                && (tmpMib == null || (tmp != null && tmp >= tmpMib));
    }
}
