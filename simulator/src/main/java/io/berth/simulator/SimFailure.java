package io.berth.simulator;

/// The end of a command that cannot do what it was asked: in one line, what is wrong.
final class SimFailure extends Exception {

    private static final long serialVersionUID = 1;

    SimFailure(String message) {
        super(message);
    }
}
