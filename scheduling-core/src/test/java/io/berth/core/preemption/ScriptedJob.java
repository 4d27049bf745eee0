package io.berth.core.preemption;

import io.berth.contracts.Dependency;
import io.berth.contracts.Dependency.Clause;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobTerms;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.PreemptPolicy;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Sharing;
import io.berth.contracts.SwitchLimit;
import java.util.List;
import java.util.Locale;

/// A job as the line of a case that submits it tells it: `1 PARTITION[:QOS] cpus=1 gpus=0 nodes=1`.
final class ScriptedJob {

    private ScriptedJob() {}

    /// @param begin of the case, from which its deadline counts
    static JobDescription of(Words words, long begin) {
        String[] place = words.plain().get(1).split(":");
        return new JobDescription(
                        "alice",
                        words.named().getOrDefault("account", "team"),
                        place[0],
                        place.length == 1 ? "normal" : place[1],
                        words.named().getOrDefault("name", "job"),
                        request(words),
                        LaunchMode.BATCH,
                        words.number("limit", 3600),
                        0,
                        !words.plain().contains("norequeue"))
                .on(terms(words, begin));
    }

    private static ResourceRequest request(Words words) {
        int nodes = words.number("nodes", 1);
        int switches = words.number("switches", 0);
        return new ResourceRequest(
                nodes,
                nodes,
                words.number("cpus", 1),
                MemoryRequest.perNode(words.number("memory", 16)),
                new GpuRequest(words.number("gpus", 0), words.named().get("type")),
                new NodeConstraints(
                        null,
                        List.of(),
                        List.of(),
                        words.plain().contains("exclusive") ? Sharing.NODE : Sharing.SHARED,
                        switches == 0 ? null : new SwitchLimit(switches, 86_400L)));
    }

    private static JobTerms terms(Words words, long begin) {
        String deadline = words.named().get("deadline");
        String policy = words.named().get("preempt");
        return JobTerms.NONE.with(to -> {
            to.deadlineAt = deadline == null ? null : begin + 1000 * Long.parseLong(deadline);
            to.dependency = words.plain().contains("singleton") ? singleton() : null;
            to.preemption =
                    policy == null ? null : PreemptPolicy.valueOf(policy.toUpperCase(Locale.ROOT));
        });
    }

    private static Dependency singleton() {
        var alone = new Clause(Dependency.Type.SINGLETON, null, null, 0);
        return new Dependency(false, List.of(alone));
    }
}
