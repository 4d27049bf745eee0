package io.berth.standalone.mesh;

/// Something on this machine that keeps a mesh from starting, said in one line.
public final class CannotStart extends RuntimeException {

    private static final long serialVersionUID = 1;

    public CannotStart(String message) {
        super(message);
    }
}
