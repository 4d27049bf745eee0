package io.berth.placement.kafka;

/// A newer version wrote what this one does not know into the state of the cell. Who led it would
/// write that state anew without it: only a version that knows it may.
public final class Outdated extends RuntimeException {

    public Outdated(String unknown) {
        super(unknown);
    }
}
