package io.berth.contracts;

/// How the processors of a node must be laid out at least; 0 is any number.
public record NodeShape(int sockets, int coresPerSocket, int threadsPerCore) {

    public static final NodeShape ANY = new NodeShape(0, 0, 0);

    public boolean admits(Inventory inventory) {
        return inventory.sockets() >= sockets
                && inventory.coresPerSocket() >= coresPerSocket
                && inventory.threadsPerCore() >= threadsPerCore;
    }
}
