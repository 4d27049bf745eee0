/// The topics: who writes them, how they are keyed, kept and sized.
@NullMarked
package io.berth.contracts.topic;

import org.jspecify.annotations.NullMarked;
