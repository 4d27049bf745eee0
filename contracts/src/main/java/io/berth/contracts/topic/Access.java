package io.berth.contracts.topic;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/// What a client of the log may do there: no more than it needs. Kafka's access rules are made of
/// it. To read or to write something allows to describe it.
///
/// @param client its name, for Kafka and for people: `berth-` and what it is
/// @param writes topics that it writes, and makes when they are not there
/// @param reads topics
/// @param groups of consumers that it belongs to; a name that ends in `*` stands for all that begin
///   so
/// @param transactions transactional ids, in the same way
public record Access(
        String client,
        List<Topic<?>> writes,
        List<Topic<?>> reads,
        List<String> groups,
        List<String> transactions) {

    public static final Access SUBMIT =
            new Access(
                    "berth-submit",
                    written("submit-service", true),
                    List.of(
                            Topics.SUBMISSIONS,
                            Topics.SPECS,
                            Topics.TRIGGERS,
                            Topics.FAIR_SHARES,
                            Topics.JOBS,
                            Topics.JOB_STATES,
                            Topics.NODE_STATES,
                            Topics.CELL_STATES,
                            Topics.HEARTBEATS,
                            Topics.CONFIG,
                            Topics.ELECTIONS),
                    List.of("berth-mail", "berth-triggers"),
                    List.of());

    public static final Access PRIORITY =
            new Access(
                    "berth-priority",
                    written("priority-service", true),
                    List.of(
                            Topics.SUBMISSIONS,
                            Topics.RANKINGS,
                            Topics.FAIR_SHARES,
                            Topics.JOB_STATES,
                            Topics.NODE_STATES,
                            Topics.CELL_STATES,
                            Topics.CONFIG,
                            Topics.SHARES,
                            Topics.ELECTIONS),
                    List.of("berth-priority"),
                    List.of());

    /// Each cell has a group and a transactional id of its own.
    public static final Access PLACEMENT =
            new Access(
                    "berth-placement",
                    written("placement-service", true),
                    List.of(
                            Topics.SUBMISSIONS,
                            Topics.NODE_REQUESTS,
                            Topics.RANKINGS,
                            Topics.FAIR_SHARES,
                            Topics.JOB_STATES,
                            Topics.NODE_STATES,
                            Topics.CELL_STATES,
                            Topics.RUNS,
                            Topics.NODES,
                            Topics.HEARTBEATS,
                            Topics.CONFIG,
                            Topics.ELECTIONS),
                    List.of("berth-placement-*"),
                    List.of("berth-placement-*"));

    public static final Access ACCOUNTING =
            new Access(
                    "berth-accounting",
                    written("accounting-service", true),
                    List.of(Topics.JOBS, Topics.NODE_STATES, Topics.CONFIG),
                    List.of(),
                    List.of("accounting-config"));

    /// Of one host or of all: Kafka knows no rules for parts of a topic.
    public static final Access AGENT =
            new Access(
                    "berth-agent",
                    written("node-agent", false),
                    List.of(
                            Topics.SPECS,
                            Topics.OUTPUT_REQUESTS,
                            Topics.STEP_REQUESTS,
                            Topics.PLACEMENTS,
                            Topics.RUNS),
                    List.of(),
                    List.of());

    /// Of who runs `berth replay`.
    public static final Access REPLAY =
            new Access(
                    "berth-replay",
                    List.of(),
                    List.of(Topics.ROUNDS, Topics.SNAPSHOTS),
                    List.of(),
                    List.of());

    /// A rule of Kafka's.
    ///
    /// @param prefixed whether the name is only the beginning of names
    public record Rule(
            Resource resource, String name, boolean prefixed, List<Operation> operations) {}

    /// What Kafka has rules for, of all that a client of Berth's needs.
    public enum Resource {
        TOPIC,
        GROUP,
        TRANSACTIONAL_ID
    }

    /// What a rule allows.
    public enum Operation {
        CREATE,
        READ,
        WRITE
    }

    public static List<Access> all() {
        return List.of(SUBMIT, PRIORITY, PLACEMENT, ACCOUNTING, AGENT, REPLAY);
    }

    /// The rules that allow this, one for each name.
    public List<Rule> rules() {
        var rules = new ArrayList<Rule>();
        topics().forEach(it -> rules.add(rule(Resource.TOPIC, it.name(), operations(it))));
        groups.forEach(it -> rules.add(rule(Resource.GROUP, it, List.of(Operation.READ))));
        transactions.forEach(
                it -> rules.add(rule(Resource.TRANSACTIONAL_ID, it, List.of(Operation.WRITE))));
        return List.copyOf(rules);
    }

    private List<Topic<?>> topics() {
        return Stream.of(writes, reads).flatMap(Collection::stream).distinct().toList();
    }

    private List<Operation> operations(Topic<?> topic) {
        var operations = new ArrayList<Operation>();
        // The topic of elections is made by those who are elected.
        if (writes.contains(topic) || topic.equals(Topics.ELECTIONS)) {
            operations.add(Operation.CREATE);
        }
        if (reads.contains(topic)) {
            operations.add(Operation.READ);
        }
        if (writes.contains(topic)) {
            operations.add(Operation.WRITE);
        }
        return List.copyOf(operations);
    }

    private static Rule rule(Resource resource, String name, List<Operation> operations) {
        boolean prefixed = name.endsWith("*");
        return new Rule(
                resource,
                prefixed ? name.substring(0, name.length() - 1) : name,
                prefixed,
                operations);
    }

    private static List<Topic<?>> written(String service, boolean deadLetters) {
        var topics = new ArrayList<>(Topics.writtenBy(service));
        if (deadLetters) {
            topics.add(Topics.deadLetters(service));
        }
        return List.copyOf(topics);
    }
}
