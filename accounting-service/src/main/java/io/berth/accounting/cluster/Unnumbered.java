package io.berth.accounting.cluster;

import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Part;
import java.util.function.Function;

/// A record that lacks only its place in a revision.
interface Unnumbered extends Function<Part, ConfigEntry> {}
