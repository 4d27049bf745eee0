package io.berth.contracts;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which mail a job's user wants.
///
/// @param types in the order of [MailType]
/// @param address where to; null is the user's own
public record MailRequest(List<MailType> types, @Nullable String address) {

    public MailRequest {
        types = types.stream().sorted().distinct().toList();
    }

    public boolean wants(MailType type) {
        return types.contains(type);
    }
}
