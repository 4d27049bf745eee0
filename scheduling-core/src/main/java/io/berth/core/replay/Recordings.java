package io.berth.core.replay;

import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.FairShares;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Ranked;
import io.berth.contracts.event.Recorded;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.event.Submission;
import io.berth.contracts.json.EventCodec;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.core.state.Fact;
import io.berth.core.state.Input;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Inputs and facts as they are kept in the log, and back. A configuration is kept as its records,
/// and is there again with the last of them.
public final class Recordings {

    /// Heartbeats tell it; it stands in no topic.
    private static final String PRESENCE = "presence/";

    /// So does this, which placement tells itself.
    private static final String PLACING_FAILED = "placing-failed/";

    private static final EventCodec<Submission> SUBMISSIONS = codec(Topics.SUBMISSIONS);
    private static final EventCodec<NodeRequest> NODE_REQUESTS = codec(Topics.NODE_REQUESTS);
    private static final EventCodec<Ranked> RANKINGS = codec(Topics.RANKINGS);
    private static final EventCodec<RunReport> RUNS = codec(Topics.RUNS);
    private static final EventCodec<NodeSeen> NODES = codec(Topics.NODES);
    private static final EventCodec<FairShares> FAIR_SHARES = codec(Topics.FAIR_SHARES);
    private static final EventCodec<ConfigEntry> CONFIG = codec(Topics.CONFIG);
    private static final EventCodec<JobStatus> JOB_STATES = codec(Topics.JOB_STATES);
    private static final EventCodec<NodeStatus> NODE_STATES = codec(Topics.NODE_STATES);

    private final ConfigurationAssembler configuration = new ConfigurationAssembler();

    private static <E> EventCodec<E> codec(Topic<E> topic) {
        return new EventCodec<>(topic);
    }

    /// What is to be kept of an input.
    public static List<Recorded> of(Input input) {
        return switch (input) {
            case Input.Asked(var submission, long offset) ->
                    List.of(recorded(SUBMISSIONS, submission, offset));
            case Input.NodeAsked(var request) -> List.of(recorded(NODE_REQUESTS, request, null));
            case Input.RankingRead(var ranked) -> List.of(recorded(RANKINGS, ranked, null));
            case Input.Reported(var report) -> List.of(recorded(RUNS, report, null));
            case Input.Registered(var seen) -> List.of(recorded(NODES, seen, null));
            case Input.SharesRead(var shares) -> List.of(recorded(FAIR_SHARES, shares, null));
            case Input.Configured(var configuration) -> of(configuration);
            case Input.PresenceChanged(var node, var presence) ->
                    List.of(new Recorded(PRESENCE + presence, null, node.value()));
            case Input.PlacingFailed(var job, var why) ->
                    List.of(new Recorded(PLACING_FAILED + job, null, why));
        };
    }

    /// What is to be kept of a fact that is part of a state.
    public static List<Recorded> of(Fact fact) {
        return switch (fact) {
            case Fact.JobChanged(var job) -> List.of(recorded(JOB_STATES, job, null));
            case Fact.NodeChanged(var node) -> List.of(recorded(NODE_STATES, node, null));
            case Fact.RankKept(var job, var rank) ->
                    List.of(recorded(RANKINGS, new Ranked(job, rank), null));
            case Fact.ConfigurationTaken(var configuration) -> of(configuration);
            case Fact.FairSharesTaken(var shares) -> List.of(recorded(FAIR_SHARES, shares, null));
            case Fact.JobForgotten _, Fact.Ordered _, Fact.Announced _ -> List.of();
        };
    }

    private static List<Recorded> of(Configuration configuration) {
        return configuration.entries().stream()
                .map(entry -> recorded(CONFIG, entry, null))
                .toList();
    }

    private static <E> Recorded recorded(EventCodec<E> codec, E event, @Nullable Long offset) {
        return new Recorded(
                codec.type(event), offset, new String(codec.value(event), StandardCharsets.UTF_8));
    }

    /// The input that was kept; empty for all but the last record of a configuration.
    ///
    /// @throws UnknownEventType if a newer version kept it
    public Optional<Input> input(Recorded kept) throws UnknownEventType, CorruptEvent {
        String type = kept.type();
        if (type.startsWith(PRESENCE)) {
            var presence = Presence.valueOf(type.substring(PRESENCE.length()));
            return Optional.of(new Input.PresenceChanged(new NodeName(kept.event()), presence));
        }
        if (type.startsWith(PLACING_FAILED)) {
            var job = new JobId(Long.parseLong(type.substring(PLACING_FAILED.length())));
            return Optional.of(new Input.PlacingFailed(job, kept.event()));
        }
        if (of(Topics.CONFIG, type)) {
            return configuration.add(event(CONFIG, kept)).map(Input.Configured::new);
        }
        return Optional.of(single(kept));
    }

    private static Input single(Recorded kept) throws UnknownEventType, CorruptEvent {
        String type = kept.type();
        if (of(Topics.SUBMISSIONS, type)) {
            long offset = kept.offset() == null ? 0 : kept.offset();
            return new Input.Asked(event(SUBMISSIONS, kept), offset);
        }
        if (of(Topics.NODE_REQUESTS, type)) {
            return new Input.NodeAsked(event(NODE_REQUESTS, kept));
        }
        if (of(Topics.RANKINGS, type)) {
            return new Input.RankingRead(event(RANKINGS, kept));
        }
        if (of(Topics.NODES, type)) {
            return new Input.Registered(event(NODES, kept));
        }
        if (of(Topics.FAIR_SHARES, type)) {
            return new Input.SharesRead(event(FAIR_SHARES, kept));
        }
        return new Input.Reported(event(RUNS, kept));
    }

    /// The fact that was kept in a snapshot; empty for all but the last record of a configuration.
    ///
    /// @throws UnknownEventType if a newer version kept it
    public Optional<Fact> fact(Recorded kept) throws UnknownEventType, CorruptEvent {
        String type = kept.type();
        if (of(Topics.CONFIG, type)) {
            return configuration.add(event(CONFIG, kept)).map(Fact.ConfigurationTaken::new);
        }
        if (of(Topics.NODE_STATES, type)) {
            return Optional.of(new Fact.NodeChanged(event(NODE_STATES, kept)));
        }
        if (of(Topics.RANKINGS, type)) {
            Ranked ranked = event(RANKINGS, kept);
            JobId job = ranked.job();
            return Optional.of(new Fact.RankKept(job, ranked.rank()));
        }
        if (of(Topics.FAIR_SHARES, type)) {
            return Optional.of(new Fact.FairSharesTaken(event(FAIR_SHARES, kept)));
        }
        return Optional.of(new Fact.JobChanged(event(JOB_STATES, kept)));
    }

    private static boolean of(Topic<?> topic, String type) {
        return type.startsWith(topic.name() + "/");
    }

    private static <E> E event(EventCodec<E> codec, Recorded kept)
            throws UnknownEventType, CorruptEvent {
        return codec.event(kept.type(), kept.event().getBytes(StandardCharsets.UTF_8));
    }
}
