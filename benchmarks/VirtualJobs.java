import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import io.berth.log.KafkaConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;

/// Measures how many jobs a second a mesh brings from their submission through all its services to their end and into the books, apart from what it costs to run them: this program is the agent of
/// nodes that are not there, and reports of each run that it has started and has ended as soon as it is ordered.
///
/// `java -cp 'benchmarks:standalone/target/lib/*' benchmarks/VirtualJobs.java [jobs [nodes]]`, default 20,000 and 32 of 128 CPUs each. The jobs take one CPU and come in bulk. For a mesh of its own
/// (BERTH_HOME), whose own nodes get none of them; its new nodes are silent afterwards, until the next time, which has the same ones.
class VirtualJobs {

    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Pattern NAME = Pattern.compile("\"name\":\"([^\"]+)\",\"state\"");
    private static final String PREFIX = "reports-";
    private static final int CPUS = 128;
    private static final int MOST_AT_ONCE = 10_000;
    private static final long HEARTBEAT_NANOS = 5_000_000_000L;

    public static void main(String[] arguments) throws Exception {
        java.util.logging.LogManager.getLogManager().reset();
        int jobs = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20_000;
        int nodes = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 32;
        var mesh = RunningMesh.find();
        String others = String.join(",", nodesOf(mesh));
        var connection = new KafkaConnection(mesh.kafka());
        try (var agent = new Agent(connection, nodes);
                var ends = connection.follower()) {
            follow(ends, Topics.JOBS);
            Thread.ofPlatform().daemon().start(agent::run);
            agent.awaitRegistered();
            double booked = mesh.booked();
            var time = new ProcessorTime(mesh);
            long begin = System.nanoTime();
            Thread submitter = Thread.ofPlatform().start(() -> submit(mesh, jobs, others));
            double[] passed = awaitEnds(ends, jobs, begin);
            submitter.join();
            mesh.awaitBooked(booked + 4.0 * jobs);
            double all = (System.nanoTime() - begin) / 1e9;
            System.out.printf(
                    "%d jobs on %d nodes that only report: ended after %.1f s, %.0f a second, %.0f in the middle three fifths; in the books after %.1f s, %.0f a second%n",
                    jobs, nodes, passed[4], jobs / passed[4], 0.6 * jobs / (passed[3] - passed[0]), all, jobs / all);
            time.print(jobs);
        }
    }

    /// Seconds until each fifth of the jobs had ended.
    private static double[] awaitEnds(Consumer<byte[], byte[]> ends, int jobs, long begin) throws Exception {
        var events = new Events<>(Topics.JOBS, "benchmark");
        Set<Long> ended = new HashSet<>();
        var passed = new double[5];
        while (ended.size() < jobs) {
            for (var record : ends.poll(Duration.ofSeconds(1))) {
                if (events.event(record) instanceof JobEvent.Ended end && end.description().name().equals("virtual") && ended.add(end.job().value())) {
                    int fifth = (int) (5L * ended.size() / jobs);
                    if (fifth > 0 && passed[fifth - 1] == 0) {
                        passed[fifth - 1] = (System.nanoTime() - begin) / 1e9;
                    }
                }
            }
        }
        return passed;
    }

    private static void submit(RunningMesh mesh, int jobs, String others) {
        String line =
                "{\"workingDirectory\":\"/tmp\",\"standardOutput\":\"/dev/null\",\"script\":\"#!/bin/sh\\ntrue\\n\",\"name\":\"virtual\",\"timeLimitSeconds\":60,\"memoryMibPerNode\":64,\"where\":{\"excludedNodes\":\"%s\"}}\n"
                        .formatted(others);
        for (int left = jobs; left > 0; left -= MOST_AT_ONCE) {
            int now = Math.min(left, MOST_AT_ONCE);
            var request = HttpRequest.newBuilder(URI.create("http://%s:%d/v1/jobs/bulk".formatted(mesh.host(), mesh.port())))
                    .header("Authorization", "Bearer " + mesh.token())
                    .header("Content-Type", "application/x-ndjson")
                    .POST(BodyPublishers.ofString(line.repeat(now)))
                    .build();
            try {
                String answer = CLIENT.send(request, BodyHandlers.ofString()).body();
                if (answer.split("\"status\":201", -1).length - 1 != now) {
                    throw new IllegalStateException("not all were accepted: " + answer.lines().filter(it -> !it.contains("201")).findFirst());
                }
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        }
    }

    private static List<String> nodesOf(RunningMesh mesh) throws Exception {
        var request = HttpRequest.newBuilder(URI.create("http://%s:%d/v1/nodes".formatted(mesh.host(), mesh.port())))
                .header("Authorization", "Bearer " + mesh.token())
                .build();
        return NAME.matcher(CLIENT.send(request, BodyHandlers.ofString()).body()).results().map(it -> it.group(1)).filter(it -> !it.startsWith(PREFIX)).toList();
    }

    private static void follow(Consumer<byte[], byte[]> consumer, Topic<?> topic) {
        var all = consumer.partitionsFor(topic.name()).stream().map(it -> new TopicPartition(it.topic(), it.partition())).toList();
        consumer.assign(all);
        consumer.endOffsets(all).forEach(consumer::seek);
    }

    /// The agent of all the nodes that only report.
    private static final class Agent implements AutoCloseable {

        private final Events<Order> orders = new Events<>(Topics.PLACEMENTS, "benchmark");
        private final Events<RunReport> reports = new Events<>(Topics.RUNS, "benchmark");
        private final Events<NodeSeen> registrations = new Events<>(Topics.NODES, "benchmark");
        private final Events<Heartbeat> heartbeats = new Events<>(Topics.HEARTBEATS, "benchmark");
        private final Consumer<byte[], byte[]> consumer;
        private final Producer<byte[], byte[]> producer;
        private final String nonce = UUID.randomUUID().toString();
        private final Map<String, Node> nodes = new TreeMap<>();
        private final CountDownLatch unregistered;
        private volatile boolean closed;

        private static final class Node {
            final NodeName name;
            long epoch;
            long applied;

            Node(String name) {
                this.name = new NodeName(name);
            }
        }

        Agent(KafkaConnection connection, int count) {
            consumer = connection.follower();
            producer = connection.producer();
            unregistered = new CountDownLatch(count);
            String boot = "boot-" + nonce;
            follow(consumer, Topics.PLACEMENTS);
            var runs = new TopicPartition(Topics.RUNS.name(), 0);
            long end;
            try (var asking = connection.consumer()) {
                end = asking.endOffsets(List.of(runs)).getOrDefault(runs, 0L);
            }
            for (int i = 1; i <= count; i++) {
                var node = new Node(PREFIX + "%03d".formatted(i));
                nodes.put(node.name.value(), node);
                var inventory = new Inventory(2, CPUS / 2, 1, CPUS, 1 << 20, List.of(), List.of(), true, null, "Linux", "x86_64");
                var seen = new NodeSeen(node.name, nonce + i, "machine-" + node.name, boot, "benchmark", inventory, List.of(), end);
                producer.send(registrations.record(0, seen, seen.nonce()));
            }
        }

        void awaitRegistered() throws InterruptedException {
            if (!unregistered.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException(unregistered.getCount() + " nodes were not taken");
            }
        }

        void run() {
            try {
                long beat = System.nanoTime();
                while (!closed) {
                    for (var record : consumer.poll(Duration.ofMillis(500))) {
                        Node node = nodes.get(new String(record.key(), StandardCharsets.UTF_8));
                        if (node != null) {
                            obey(node, orders.event(record));
                        }
                    }
                    if (System.nanoTime() - beat > HEARTBEAT_NANOS) {
                        beat = System.nanoTime();
                        for (Node node : nodes.values()) {
                            var alive = new Heartbeat(node.name, node.epoch, node.applied, List.of(), 0, 0);
                            producer.send(heartbeats.record(0, alive, node.name + "/" + beat));
                        }
                    }
                }
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            } finally {
                consumer.close();
                producer.close();
            }
        }

        private void obey(Node node, Order order) {
            switch (order) {
                case Order.Sync sync -> {
                    node.epoch = sync.epoch();
                    unregistered.countDown();
                }
                case Order.Launch launch when launch.epoch() == node.epoch -> {
                    node.applied = launch.number();
                    var run = launch.run();
                    report(new RunReport.Started(run, node.name, node.epoch, node.applied, List.of()));
                    report(new RunReport.Ended(run, node.name, node.epoch, node.applied, RunReport.Cause.EXITED, ExitStatus.SUCCESS, Consumption.NONE, null));
                }
                case Order.Refused refused -> throw new IllegalStateException(refused.why());
                default -> node.applied = Math.max(node.applied, order.number());
            }
        }

        private void report(RunReport report) {
            producer.send(reports.record(0, report, report.run() + "/" + report.node() + "/" + report.getClass().getSimpleName()));
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
