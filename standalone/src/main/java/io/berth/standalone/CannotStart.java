package io.berth.standalone;

/// Something on this machine that keeps a mesh from starting, said in one line.
final class CannotStart extends RuntimeException {

    CannotStart(String message) {
        super(message);
    }
}
