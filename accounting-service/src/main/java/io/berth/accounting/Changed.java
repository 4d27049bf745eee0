package io.berth.accounting;

import io.berth.accounting.cluster.Difference;
import java.util.List;

/// The answer to a change of the configuration that was asked for.
public sealed interface Changed {

    /// It holds, or would hold if it was only to be tried.
    ///
    /// @param revision the one in force then; unchanged if nothing differs
    record Done(long revision, List<Difference> changes) implements Changed {}

    /// It is not made.
    ///
    /// @param code `invalid_configuration`, `not_allowed`, `in_use` or `conflict`
    record Refused(String code, String detail) implements Changed {}
}
