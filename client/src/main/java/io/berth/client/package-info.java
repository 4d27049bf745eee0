/// Berth's HTTP API for Java programs: [Berth] is where to begin. Plain Java, with the records of
/// the contracts.
@NullMarked
package io.berth.client;

import org.jspecify.annotations.NullMarked;
