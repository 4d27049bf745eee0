package io.berth.standalone.mesh;

import io.berth.embedded.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The services as processes: each a packaged Quarkus application of this checkout, told where the
/// others are.
///
/// @param root of the checkout
/// @param kafka the settings by which a service, named as in [MeshStatus], reaches the brokers
/// @param training whether each makes its AOT cache when it ends, see [TrainingMesh]
public record Services(
        Path root,
        MeshHome home,
        Ports ports,
        Offer offer,
        Leash leash,
        Brokers kafka,
        boolean training) {

    /// How a service reaches the brokers.
    interface Brokers {

        Map<String, String> settings(String service) throws IOException;
    }

    /// On the broker of the mesh itself, which lets in everybody.
    public Services(Path root, MeshHome home, Ports ports, Offer offer, Leash leash) {
        this(
                root,
                home,
                ports,
                offer,
                leash,
                _ -> Map.of("kafka.bootstrap.servers", "127.0.0.1:" + ports.kafka()),
                false);
    }

    /// The same, each of which makes its AOT cache when it ends.
    Services trainees() {
        return new Services(root, home, ports, offer, leash, kafka, true);
    }

    private static final String ROOT = "root";
    private static final Duration GRACE = Duration.ofSeconds(10);

    /// Runs may take their own grace to end.
    private static final Duration AGENT_GRACE = Duration.ofSeconds(60);

    /// A cache is some hundred MiB to be linked and written, at the lowest priority.
    private static final Duration TRAINING_GRACE = Duration.ofMinutes(5);

    private static final String AGENT = "node-agent";

    /// From so many processors on the second compiler tier has some to itself while it warms up.
    private static final int PROCESSORS_FOR_BOTH_TIERS = 8;

    private static final String FIRST_TIER = "-XX:TieredStopAtLevel=1";

    /// What a training compiled, a JVM with its cache compiles as soon as it is called: by the
    /// first compiler alone, but with counters, so that what is called often goes on to the second.
    /// Code of level 1 has none and would stay as it is for good, and what a training gave the
    /// second would be given to it during the start.
    private static final String TRAINED_TIER = "-XX:TieredStopAtLevel=2";

    /// One collector thread. The JVM's archives of classes stay where they were made for: moved to
    /// a random place, as they are else, most of their pages are written, and are the process's own
    /// memory.
    private static final List<String> JVM =
            List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:+UseCompactObjectHeaders",
                    "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:ArchiveRelocationMode=0",
                    "-XX:-UsePerfData",
                    // Four times a second each process would look for monitors to take apart.
                    "-XX:AsyncDeflationInterval=5000",
                    "-XX:+ExitOnOutOfMemoryError",
                    "-Xss512k",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED");

    /// Of the services that keep the jobs: heaps begin small, have room for a few hundred thousand
    /// jobs, and stay near what lives in them.
    private static final List<String> LEAN =
            List.of(
                    "-Xms48m",
                    "-XX:NewSize=16m",
                    "-XX:MaxNewSize=32m",
                    "-XX:MinHeapFreeRatio=10",
                    "-XX:MaxHeapFreeRatio=25",
                    "-XX:-ShrinkHeapInSteps",
                    "-XX:TrimNativeHeapInterval=10000",
                    "-Dlean.heap=true");

    /// Of the agent, which is on every node beside the jobs: it gives back what it does not need.
    private static final List<String> SMALL =
            List.of(
                    FIRST_TIER,
                    "-Xms10m",
                    "-Xmn4m",
                    "-Xmx96m",
                    "-XX:MinHeapFreeRatio=5",
                    "-XX:MaxHeapFreeRatio=10",
                    "-XX:ReservedCodeCacheSize=12m",
                    "-XX:SweeperThreshold=100",
                    "-XX:TrimNativeHeapInterval=30000",
                    "-Dlean.heap=true");

    private static final Map<String, String> SMALL_NATIVE_HEAP = Map.of("MALLOC_ARENA_MAX", "1");

    /// A service of this mesh.
    ///
    /// @param flags of its JVM, with its own settings
    /// @param variables of its environment
    private record Service(
            String name,
            Application application,
            int port,
            List<String> flags,
            Map<String, String> variables) {

        Service(String name, Application application, int port, List<String> flags) {
            this(name, application, port, flags, Map.of());
        }
    }

    Child submit() {
        return child(submitService(), GRACE);
    }

    Child priority() {
        return child(priorityService(), GRACE);
    }

    Child placement() {
        return child(placementService(), GRACE);
    }

    Child agent() {
        return child(nodeAgent(), AGENT_GRACE);
    }

    /// @param database the running one, null while there is none
    Child accounting(Supplier<@Nullable PostgresServer> database) {
        Child.Role role = role("accounting", ports.accounting(), GRACE);
        return new Child(
                role,
                () -> {
                    PostgresServer server = database.get();
                    if (server == null) {
                        throw new IOException("no database");
                    }
                    return running(accountingService(server), role.log());
                },
                Health.ofService(ports.accounting()));
    }

    /// What the parts run.
    List<Application> applications() {
        return Stream.of(
                        "accounting-service",
                        "placement-service",
                        "submit-service",
                        "priority-service",
                        AGENT)
                .map(this::application)
                .toList();
    }

    /// The process of `berth up` itself.
    Application supervisor() {
        return Application.of(root, "standalone", "io.berth.standalone.Main");
    }

    private Service submitService() {
        List<String> flags =
                lean(
                        "-Xmx512m",
                        "-Dberth.submit.accounting-url=http://127.0.0.1:" + ports.accounting());
        return new Service("submit", application("submit-service"), ports.submit(), flags);
    }

    private Service priorityService() {
        return new Service(
                "priority", application("priority-service"), ports.priority(), lean("-Xmx384m"));
    }

    private Service placementService() {
        List<String> flags =
                lean("-Xmx512m", "-Dberth.placement.signing-key=" + home.placementKey());
        return new Service("placement", application("placement-service"), ports.placement(), flags);
    }

    private static List<String> lean(String... flags) {
        return Stream.concat(LEAN.stream(), Stream.of(flags)).toList();
    }

    private Service nodeAgent() {
        var flags = new ArrayList<>(SMALL);
        flags.add("-Dberth.agent.home=" + home.spool());
        flags.add("-Dberth.agent.placement-keys=" + home.placementKeys());
        flags.add("-Dberth.agent.on-shutdown=stop");
        flags.add("-Dberth.agent.cgroup-parent=berth-" + ports.base());
        flags.add("-Dberth.agent.systemd-scope=false");
        flags.add("-Dberth.agent.host=" + offer.host());
        if (!ROOT.equals(System.getProperty("user.name"))) {
            // It can isolate nothing, and all jobs are of the one account whose machine it is.
            flags.add("-Dberth.agent.gpus-without-isolation=true");
        }
        offer.gpuProfile().ifPresent(name -> flags.add("-Dberth.agent.gpu-profile=" + name));
        offer.virtual().ifPresent(nodes -> flags.add("-Dberth.agent.virtual=" + nodes));
        return new Service("agent", application(AGENT), ports.agent(), flags, SMALL_NATIVE_HEAP);
    }

    private Service accountingService(PostgresServer server) {
        List<String> flags =
                lean(
                        "-Xmx384m",
                        "-Dberth.accounting.cluster-file=" + home.cluster(),
                        "-Dquarkus.datasource.jdbc.url=" + server.jdbcUrl(),
                        "-Dquarkus.datasource.reactive.url=" + server.reactiveUrl(),
                        "-Dquarkus.datasource.username=" + server.user());
        return new Service(
                "accounting",
                application("accounting-service"),
                ports.accounting(),
                flags,
                Map.of("QUARKUS_DATASOURCE_PASSWORD", server.password()));
    }

    private Application application(String module) {
        String main = module.equals(AGENT) ? "io.berth.agent.AgentMain" : Application.GENERATED;
        return Application.of(root, module, main);
    }

    private Child.Role role(String name, int port, Duration grace) {
        return new Child.Role(name, port, home.log(name), training ? TRAINING_GRACE : grace);
    }

    private Child child(Service service, Duration grace) {
        Child.Role role = role(service.name(), service.port(), grace);
        return new Child(
                role, () -> running(service, role.log()), Health.ofService(service.port()));
    }

    private Running running(Service service, Path log) throws IOException {
        Application application = service.application();
        List<String> arguments = training ? application.training() : application.running();
        return Running.of(process(service, arguments, log).start());
    }

    /// In the long run the second compiler tier halves what a service takes of the processors.
    /// Where they are few, all wait for it until then: for its compilations, and for code that
    /// counts its calls for it.
    private List<String> tiers() {
        if (training) {
            return List.of(TRAINED_TIER);
        }
        return Runtime.getRuntime().availableProcessors() < PROCESSORS_FOR_BOTH_TIERS
                ? List.of(FIRST_TIER)
                : List.of();
    }

    private ProcessBuilder process(Service service, List<String> application, Path log)
            throws IOException {
        var command = new ArrayList<>(JVM);
        command.addAll(tiers());
        command.add("-XX:ErrorFile=" + home.logs().resolve(service.name() + "-hs_err.log"));
        command.add("-Dquarkus.http.host=127.0.0.1");
        command.add("-Dquarkus.http.port=" + service.port());
        kafka.settings(service.name())
                .forEach((name, value) -> command.add("-D" + name + "=" + value));
        command.add("-Dmp.jwt.verify.publickey.location=file:" + home.publicKey());
        command.add("-Dmp.jwt.verify.publickey.algorithm=ES256");
        command.add("-Dmp.jwt.verify.issuer=" + Identity.ISSUER);
        // The supervisor asks often, and shows the answers itself.
        command.add("-Dquarkus.log.category.\"io.smallrye.health\".level=WARN");
        command.addAll(service.flags());
        command.addAll(application);
        LogFiles.setAsideIfLarge(log);
        ProcessBuilder builder =
                leash.bind(command)
                        .directory(home.root().toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        // Those of a cluster elsewhere, such as for `berth replay`: here Kafka is on loopback.
        builder.environment().keySet().removeIf(name -> name.startsWith("KAFKA_"));
        builder.environment().putAll(service.variables());
        return builder;
    }
}
