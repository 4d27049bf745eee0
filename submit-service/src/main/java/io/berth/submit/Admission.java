package io.berth.submit;

import static io.berth.submit.Checks.invalid;
import static io.berth.submit.Checks.line;
import static io.berth.submit.Checks.listed;
import static io.berth.submit.Checks.number;
import static io.berth.submit.Checks.quoted;
import static java.util.Objects.requireNonNullElse;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.Gres;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobSpec;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeShape;
import io.berth.contracts.PrivateData;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.NodeSeen;
import io.berth.core.limits.Access;
import io.berth.core.request.Sight;
import io.berth.slurm.ArrayText;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Refusal.InvalidAccount;
import io.berth.submit.Refusal.InvalidPartition;
import io.berth.submit.Refusal.InvalidQos;
import io.berth.submit.Refusal.NodeConfigurationUnavailable;
import io.berth.submit.Refusal.NotAllowed;
import io.berth.submit.Refusal.OfComponent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Decides whether a submission becomes a job, and fills in what it leaves out.
///
/// Refused is what can never run: values out of range, names that the configuration does not know,
/// accounts of others, and more than any registered node of the partition has. Accepted, and left
/// waiting, is what only the partition's limits or the present moment forbid, as Slurm does it with
/// `EnforcePartLimits=NO`. While no node is registered in the partition, nothing is too large. Of
/// several partitions that a submission names, those that would refuse it are left out, as Slurm
/// does it with `EnforcePartLimits=ANY`.
///
/// An admin may submit for every user, an operator to every account; a user for himself and to his
/// accounts.
///
/// Made for one request, and confined to its thread.
public final class Admission {
    static final long MAX_TIME_LIMIT_SECONDS = 10_000_000_000L;
    static final int MAX_NICE = 2_147_483_645;

    private final Configuration configuration;
    private final Collection<NodeSeen> nodes;
    private final Caller caller;
    private final int maxArraySize;
    private final long now;
    private final Sight sight;
    private final PartitionEntry entry;
    private final Map<String, List<NodeSeen>> nodesOf = new HashMap<>();

    /// @param nodes all registered nodes
    /// @param maxArraySize indices of an array are below this
    /// @param now epoch milliseconds
    public Admission(
            Configuration configuration,
            Collection<NodeSeen> nodes,
            Caller caller,
            int maxArraySize,
            long now) {
        this.maxArraySize = maxArraySize;
        this.now = now;
        this.configuration = configuration;
        this.nodes = nodes;
        this.caller = caller;
        this.sight = caller.sight(configuration);
        this.entry = new PartitionEntry(configuration, caller);
    }

    /// What became of a submission.
    public sealed interface Decision {
        /// It may become a job.
        ///
        /// @param array the tasks of the array that it becomes; null is one job
        /// @param components of a heterogeneous job those after the first, which is `description`
        record Admitted(
                JobDescription description,
                Launch launch,
                @Nullable ArrayText array,
                List<JobDescription> components)
                implements Decision {
            public Admitted {
                components = List.copyOf(components);
            }

            /// What is to be launched under that id.
            public JobSpec spec(JobId job) {
                return launch.spec(job, description);
            }

            /// The job, or each component of a heterogeneous one.
            public List<JobDescription> descriptions() {
                return Stream.concat(Stream.of(description), components.stream()).toList();
            }

            /// How many tasks its array has; 1 for none.
            public int tasks() {
                return array == null ? 1 : array.tasks().size();
            }

            /// How many jobs it makes: tasks, or components.
            public int jobs() {
                return tasks() + components.size();
            }
        }

        /// It may not.
        record NotAdmitted(Refusal refusal) implements Decision {}
    }

    public Decision decide(JobSubmission asked) {
        try {
            ArrayText array = array(asked.conditions().array());
            HetParts.check(asked);
            JobDescription job =
                    description(
                            asked,
                            owner(asked, caller),
                            requireNonNullElse(asked.name(), "sbatch"),
                            asked.submitHost());
            return new Decision.Admitted(
                    job,
                    Launch.of(asked, job, caller, array != null, configuration.cluster().name()),
                    array,
                    components(asked, job));
        } catch (Refused e) {
            return new Decision.NotAdmitted(e.refusal());
        }
    }

    /// The user that the job will belong to.
    public static String owner(JobSubmission asked, Caller caller) throws Refused {
        String user = Checks.user(requireNonNullElse(asked.user(), caller.user()));
        if (!caller.mayActFor(user)) {
            throw new Refused(
                    new NotAllowed(
                            caller.user()
                                    + " may not submit for "
                                    + user
                                    + ": only an admin may submit for others"));
        }
        return user;
    }

    /// The components after the first of a heterogeneous job.
    private List<JobDescription> components(JobSubmission asked, JobDescription first)
            throws Refused {
        var components = new ArrayList<JobDescription>();
        if (!asked.furtherComponents().isEmpty()) {
            ofOnePartition(first);
        }
        for (JobSubmission one : asked.furtherComponents()) {
            try {
                components.add(
                        ofOnePartition(
                                description(
                                        one,
                                        first.user(),
                                        requireNonNullElse(one.name(), first.name()),
                                        asked.submitHost())));
            } catch (Refused e) {
                throw new Refused(new OfComponent(components.size() + 1, e.refusal()));
            }
        }
        return components;
    }

    /// A component of a heterogeneous job.
    static JobDescription ofOnePartition(JobDescription component) throws Refused {
        if (component.partitions().size() > 1) {
            throw invalid(
                    "a component of a heterogeneous job may start in one partition, not in one of "
                            + listed(component.partitions()));
        }
        return component;
    }

    private JobDescription description(
            JobSubmission asked, String user, String name, @Nullable String host) throws Refused {
        List<Partition> named = partitions(asked.partition());
        if (asked.gpuType() != null) {
            Checks.gpuType(asked.gpuType());
        }
        String account = account(asked.account(), user);
        String qos = qos(asked.qos(), user, account);
        List<Partition> partitions =
                admitting(
                        named,
                        partition -> {
                            enter(partition, user, account, qos);
                            entry.checkOrigin(partition, host);
                        });
        var in = new ArrayList<JobDescription>();
        List<Partition> open =
                admitting(
                        partitions,
                        partition -> {
                            var description =
                                    new JobDescription(
                                            user,
                                            account,
                                            partition.name(),
                                            qos,
                                            line("the job's name", name, Checks.MAX_NAME),
                                            request(asked, partition, partitions),
                                            launch(asked.launch()),
                                            timeLimit(asked, partition),
                                            nice(asked),
                                            requireNonNullElse(asked.requeue(), true),
                                            RequestedTerms.of(asked.conditions(), caller));
                            checkLeastTime(description);
                            checkDeadline(description);
                            reserve(description, null);
                            in.add(in.isEmpty() ? description : within(partition, in.getLast()));
                        });
        return in.getLast().inAnyOf(open.stream().map(Partition::name).toList());
    }

    /// A job of another partition as this one takes it.
    private static JobDescription within(Partition partition, JobDescription job) throws Refused {
        return job.with(new PartitionMemory(partition).within(job.request()));
    }

    /// What a partition may have against a job.
    @FunctionalInterface
    interface PartitionCheck {
        void check(Partition partition) throws Refused;
    }

    /// Those of the partitions that a job names that have nothing against it, in the same order.
    ///
    /// @throws Refused if each has something: what the first has
    static List<Partition> admitting(List<Partition> named, PartitionCheck check) throws Refused {
        var open = new ArrayList<Partition>();
        Refused first = null;
        for (Partition partition : named) {
            try {
                check.check(partition);
                open.add(partition);
            } catch (Refused e) {
                first = first == null ? e : first;
            }
        }
        if (open.isEmpty() && first != null) {
            throw first;
        }
        return open;
    }

    private static LaunchMode launch(@Nullable LaunchMode asked) throws Refused {
        if (asked == LaunchMode.HELD) {
            throw invalid("launch is BATCH or PER_NODE, and not HELD, which is a component's");
        }
        return requireNonNullElse(asked, LaunchMode.BATCH);
    }

    static void checkLeastTime(JobDescription job) throws Refused {
        Long least = job.conditions().timeMinSeconds();
        long limit = job.timeLimitSeconds();
        if (least != null && limit > 0 && least > limit) {
            throw invalid(
                    "Invalid time-min specification (exceeds job's time or other limits): %d seconds, and the limit is %d"
                            .formatted(least, limit));
        }
    }

    private void checkDeadline(JobDescription job) throws Refused {
        Long deadline = job.conditions().deadlineAt();
        if (deadline != null && deadline <= now) {
            throw invalid("the deadline is over: " + Instant.ofEpochMilli(deadline));
        }
    }

    /// @param had the reservation that the job has already; null if none
    /// @throws Refused if the job may not use its reservation, or must have one
    void reserve(JobDescription job, @Nullable String had) throws Refused {
        RequestedReservation.check(configuration, job, had, now, sight);
    }

    private @Nullable ArrayText array(@Nullable String text) throws Refused {
        if (text == null) {
            return null;
        }
        try {
            ArrayText array = ArrayText.parse(text);
            if (array != null && array.tasks().toBitSet().length() > maxArraySize) {
                throw invalid(
                        "Invalid job array specification: indices may be 0 to "
                                + (maxArraySize - 1));
            }
            return array;
        } catch (InvalidOption e) {
            throw invalid("Invalid job array specification: " + quoted(text));
        }
    }

    /// @throws Refused unless the caller may do something to the job
    void control(Job job) throws Refused {
        Permissions.toControl(job, caller, configuration);
    }

    /// The partitions between the commas of a list, each once.
    ///
    /// @param list null is the default partition
    List<Partition> partitions(@Nullable String list) throws Refused {
        if (list == null) {
            return List.of(partition(null));
        }
        var named = new LinkedHashSet<Partition>();
        for (String name : list.split(",", -1)) {
            named.add(partition(name));
        }
        return List.copyOf(named);
    }

    /// Whether there is a partition of that name.
    boolean hasPartition(String name) {
        return configuration.partitions().containsKey(name);
    }

    private Partition partition(@Nullable String name) throws Refused {
        Partition partition =
                name == null
                        ? configuration.defaultPartition().orElse(null)
                        : configuration.partitions().get(name);
        if (partition == null) {
            String known =
                    sight.hides(PrivateData.PARTITIONS)
                            ? ""
                            : "; there are: " + listed(configuration.partitions().keySet());
            throw new Refused(
                    new InvalidPartition(
                            (name == null
                                            ? "no partition is named and none is the default"
                                            : "partition " + quoted(name) + " does not exist")
                                    + known));
        }
        return partition;
    }

    String account(@Nullable String name, String user) throws Refused {
        if (name == null) {
            return configuration.accountOf(user);
        }
        boolean exists =
                configuration.accounts().containsKey(name)
                        || name.equals(configuration.cluster().defaultAccount());
        if (!exists || !(caller.operator() || configuration.mayUse(user, name))) {
            throw new Refused(
                    new InvalidAccount(
                            exists && sight.account(name)
                                    ? user + " is not a member of account " + quoted(name)
                                    : "account " + quoted(name) + " does not exist"));
        }
        return name;
    }

    String qos(@Nullable String name, String user, String account) throws Refused {
        var access = new Access(configuration);
        if (name == null) {
            return access.defaultQos(user, account);
        }
        Collection<String> allowed = access.qosOf(user, account);
        if (!allowed.contains(name)) {
            boolean exists = configuration.qos().containsKey(name);
            throw new Refused(
                    new InvalidQos(
                            exists
                                    ? user
                                            + " may not use QOS "
                                            + quoted(name)
                                            + " in account "
                                            + account
                                            + ", only: "
                                            + listed(allowed)
                                    : "QOS "
                                            + quoted(name)
                                            + " does not exist; there are: "
                                            + listed(configuration.qos().keySet())));
        }
        return name;
    }

    /// @param user whose job it is
    /// @throws Refused if the partition takes no jobs, or not of that user, account or QOS
    void enter(Partition partition, String user, String account, String qos) throws Refused {
        entry.check(partition, user, account, qos);
    }

    /// That a job for some threads of each core has the others too, which is so where cores are
    /// given out whole and where they have no more.
    private void checkThreads(ResourceRequest request, Partition partition) throws Refused {
        NodeShape shape = request.where().shape();
        Integer used = shape == null ? null : shape.threadsUsed();
        if (used == null || configuration.cluster().byCore()) {
            return;
        }
        for (NodeSeen node : candidates(partition)) {
            if (node.inventory().threadsPerCore() > used) {
                throw invalid(
                        "%d of the %d threads of a core (--hint, --ntasks-per-core) cannot be had on %s: this cluster gives out CPUs one by one, not whole cores"
                                .formatted(used, node.inventory().threadsPerCore(), node.node()));
            }
        }
    }

    /// The registered nodes of a partition.
    private List<NodeSeen> candidates(Partition partition) {
        return nodesOf.computeIfAbsent(
                partition.name(),
                _ ->
                        nodes.stream()
                                .filter(it -> PartitionNodes.has(partition, it.node()))
                                .toList());
    }

    /// @param partitions that it names
    private ResourceRequest request(
            JobSubmission asked, Partition partition, List<Partition> partitions) throws Refused {
        var request =
                new RequestedResources(asked, partition, candidates(partition))
                        .request(
                                RequestedNodes.of(
                                        asked.nodesWanted(),
                                        partitions,
                                        nodes,
                                        configuration.cluster().byCore()),
                                RequestedLicenses.of(
                                        configuration, asked.nodesWanted().licenses()));
        request = onEnough(request, partition);
        request =
                RequestedBlocks.within(
                        request, asked.nodesWanted(), configuration.cluster(), nodes);
        checkLevel(request);
        checkThreads(request, partition);
        checkGres(request);
        var obstacle = obstacle(request, partition);
        if (obstacle.isEmpty()) {
            obstacle = RequestedNodes.outside(request, partition, candidates(partition));
        }
        if (obstacle.isEmpty() && asked.nodes() == null && asked.gpus() != null) {
            obstacle = tooManyGpus(request, candidates(partition));
        }
        RequestedNodes.check(request);
        if (obstacle.isPresent()) {
            throw new Refused(NodeConfigurationUnavailable.in(partition, obstacle.get()));
        }
        return request;
    }

    /// That all nodes together have fewer GPUs of one type, or of any, than a job wants in all; as
    /// in Slurm that is asked where the number of nodes follows from the GPUs. Those in MIG mode
    /// may yet be divided otherwise.
    private static Optional<String> tooManyGpus(
            ResourceRequest request, Collection<NodeSeen> candidates) {
        boolean asTheyAre = candidates.stream().allMatch(it -> it.inventory().migGpus().isEmpty());
        for (GpuRequest one : asTheyAre ? request.gpus().ofEach() : List.<GpuRequest>of()) {
            String type = one.type();
            Integer ofType = type == null ? null : request.gpuTypes().get(type);
            int wanted = ofType == null ? request.totalGpus() : ofType;
            long there =
                    candidates.stream()
                            .flatMap(it -> it.inventory().gpus().stream())
                            .filter(one::admits)
                            .count();
            if (there > 0 && wanted > there) {
                return Optional.of(
                        "%d %sGPUs, and its nodes have %d together"
                                .formatted(wanted, type == null ? "" : type + " ", there));
            }
        }
        return Optional.empty();
    }

    /// @throws Refused if it wants a resource that no registered node has under that name
    void checkGres(ResourceRequest request) throws Refused {
        if (request.gres().isEmpty()) {
            return;
        }
        var known = new TreeSet<String>();
        for (NodeSeen node : nodes) {
            configuration.cluster().gresOn(node.node(), node.inventory()).stream()
                    .map(Gres::name)
                    .forEach(known::add);
        }
        for (Gres gres : request.gres()) {
            if (!nodes.isEmpty() && !known.contains(gres.name())) {
                throw invalid(
                        "Invalid generic resource (gres) specification: no node has %s; there are: gpu, mps, shard%s"
                                .formatted(
                                        quoted(gres.name()),
                                        known.isEmpty() ? "" : ", " + listed(known)));
            }
        }
    }

    /// The request on as few nodes of its range as can be had, found by halving; itself if there is
    /// no such number.
    private ResourceRequest onEnough(ResourceRequest request, Partition partition) {
        int tooFew = request.nodes();
        int enough = request.mostNodes();
        if (tooFew == enough
                || obstacle(request, partition).isEmpty()
                || obstacle(request.onNodes(enough), partition).isPresent()) {
            return request;
        }
        while (enough - tooFew > 1) {
            int middle = (tooFew + enough) >>> 1;
            if (obstacle(request.onAtLeast(middle), partition).isEmpty()) {
                enough = middle;
            } else {
                tooFew = middle;
            }
        }
        return request.onAtLeast(enough);
    }

    private Optional<String> obstacle(ResourceRequest request, Partition partition) {
        return new Feasibility(
                        request,
                        candidates(partition),
                        configuration.cluster(),
                        partition.partitionRules(),
                        !sight.hides(PrivateData.NODES))
                .obstacle();
    }

    /// How many of each license a text asks for, as `--licenses`.
    Map<String, Integer> licenses(String text) throws Refused {
        return RequestedLicenses.of(configuration, text);
    }

    void checkLevel(ResourceRequest request) throws Refused {
        RequestedLevel.check(request, configuration, nodes);
    }

    Cluster cluster() {
        return configuration.cluster();
    }

    private static long timeLimit(JobSubmission asked, Partition partition) throws Refused {
        long otherwise =
                partition.defaultTimeSeconds() > 0
                        ? partition.defaultTimeSeconds()
                        : partition.maxTimeSeconds();
        return number(
                "the time limit in seconds",
                asked.timeLimitSeconds(),
                0,
                MAX_TIME_LIMIT_SECONDS,
                otherwise);
    }

    private int nice(JobSubmission asked) throws Refused {
        int nice = (int) number("nice", asked.nice(), -MAX_NICE, MAX_NICE, 0);
        if (nice < 0 && !caller.operator()) {
            throw new Refused(
                    new NotAllowed("nice is " + nice + ": below 0 it is the operator's to give"));
        }
        return nice;
    }
}
