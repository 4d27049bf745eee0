package io.berth.submit;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.config.Configuration;
import io.berth.core.request.Sight;
import io.berth.log.trace.TraceContext;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Who sends a request.
///
/// @param level what he may do beyond what is his own
/// @param host where the request comes from
/// @param gateway where nodes reach the gateway that he asks, such as `ws://gateway:7600`; empty if
///   that is not known
/// @param groups that his token says he is in
/// @param trace the span that the request is, or is a part of; null if it is in no trace
public record Caller(
        String user,
        AdminLevel level,
        String host,
        String gateway,
        Set<String> groups,
        @Nullable TraceContext trace) {

    public Caller {
        groups = Set.copyOf(groups);
    }

    /// One in no group who asks at a gateway that nodes need not reach.
    public Caller(String user, AdminLevel level, String host) {
        this(user, level, host, "", Set.of(), null);
    }

    /// Whether he is an operator, as every admin is.
    public boolean operator() {
        return level != AdminLevel.NONE;
    }

    public boolean admin() {
        return level == AdminLevel.ADMIN;
    }

    /// What he may see of the cluster.
    public Sight sight(Picture picture) {
        return sight(picture.configuration().orElse(null));
    }

    Sight sight(@Nullable Configuration configuration) {
        return new Sight(configuration, user, operator());
    }

    /// Whether he may look after the jobs of that user.
    public boolean looksAfter(String other) {
        return operator() || user.equals(other);
    }

    /// Whether he may do what makes something run as that user.
    public boolean mayActFor(String other) {
        return admin() || user.equals(other);
    }
}
