package io.berth.core.placement;

import io.berth.contracts.Reason;
import io.berth.contracts.event.JobStatus;
import io.berth.core.engine.FitClass;
import io.berth.core.engine.Outlook;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Whom licenses or reservations keep from starting at one moment, whatever is free on nodes.
final class Keeping {

    private final ClusterModel model;
    private final Outlook outlook;
    private final long now;
    private final Map<FitClass, Long> opensUntil = new HashMap<>();

    Keeping(ClusterModel model, long now) {
        this.model = model;
        this.outlook = new Outlook(model.engine);
        this.now = now;
    }

    /// Null for a job that could start on empty nodes.
    @Nullable Reason reason(JobStatus job, FitClass fit) {
        if (!outlook.shares(fit, now)) {
            return Reason.LICENSES;
        }
        long until = opensUntil.computeIfAbsent(fit, it -> outlook.opensUntil(it, now));
        long length = model.engine.length(job.job().value());
        if (until - now >= length) {
            return null;
        }
        if (job.description().request().where().reservation() != null) {
            return Reason.RESERVATION;
        }
        return model.reservations.maintained(nodes(job), now + length)
                ? Reason.RESERVED_FOR_MAINTENANCE
                : Reason.RESERVED_FOR_OTHERS;
    }

    private BitSet nodes(JobStatus job) {
        BitSet only = model.only(job.description().request());
        var nodes = new BitSet();
        for (int node = 0; node < model.nodes.names().size(); node++) {
            boolean admitted = only == null || only.get(node);
            nodes.set(node, admitted && model.nodes.in(job.description().partition(), node));
        }
        return nodes;
    }
}
