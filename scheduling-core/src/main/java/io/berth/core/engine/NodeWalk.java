package io.berth.core.engine;

import org.jspecify.annotations.Nullable;

/// A walk over sets of nodes in which a gang may find its own, the soonest first.
interface NodeWalk {

    /// The next set; null after the last.
    ///
    /// @param before nodes that are ready only then are not looked at
    Node @Nullable [] next(long before);
}
