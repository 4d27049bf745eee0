package io.berth.standalone.mesh;

import io.berth.embedded.FreePorts;
import io.berth.embedded.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The services as processes: each a packaged Quarkus application of this checkout, told where the
/// others are.
///
/// @param root of the checkout
/// @param kafka the settings by which a service, named as in [MeshStatus], reaches the brokers
public record Services(
        Path root, MeshHome home, Ports ports, Offer offer, Leash leash, Brokers kafka) {

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
                _ -> Map.of("kafka.bootstrap.servers", "127.0.0.1:" + ports.kafka()));
    }

    private static final String ROOT = "root";
    private static final Duration GRACE = Duration.ofSeconds(10);

    /// Runs may take their own grace to end.
    private static final Duration AGENT_GRACE = Duration.ofSeconds(60);

    /// From so many processors on the second compiler tier has some to itself while it warms up.
    private static final int PROCESSORS_FOR_BOTH_TIERS = 8;

    private static final String FIRST_TIER = "-XX:TieredStopAtLevel=1";

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

        /// The same, somewhere else and with further settings, which count before the others.
        Service like(int otherPort, List<String> settings) {
            var all = new ArrayList<>(flags);
            all.addAll(settings);
            return new Service(name, application, otherPort, all, variables);
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
        var role = new Child.Role("accounting", ports.accounting(), home.log("accounting"), GRACE);
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

    /// The parts that have no AOT cache, each with a way to run it once more beside a mesh; the one
    /// that gains most comes first, for a mesh may not be up for long.
    ///
    /// @param database the running one, if there is one
    /// @param before words before each command
    List<Training.Trainee> trainees(Optional<PostgresServer> database, List<String> before)
            throws IOException {
        var services = new ArrayList<Service>();
        database.map(this::accountingService).ifPresent(services::add);
        services.addAll(List.of(placementService(), submitService(), priorityService()));
        var trainees = new ArrayList<Training.Trainee>();
        for (Service service : services) {
            trainee(service, List.of(), before, Health::ofService).ifPresent(trainees::add);
        }
        List<String> apart =
                List.of(
                        "-Dkafka.bootstrap.servers=127.0.0.1:1",
                        "-Dberth.agent.home=" + root.resolve("node-agent/target/training"),
                        "-Dberth.agent.cgroup-parent=berth-training-" + ports.base());
        trainee(nodeAgent(), apart, before, Health::ofAnswering).ifPresent(trainees::add);
        return trainees;
    }

    private Optional<Training.Trainee> trainee(
            Service service,
            List<String> settings,
            List<String> before,
            IntFunction<Health.Probe> up)
            throws IOException {
        Application application = service.application();
        if (application.trained()) {
            return Optional.empty();
        }
        int port = FreePorts.next();
        return Optional.of(
                new Training.Trainee(
                        service.name(),
                        application.cache(),
                        output ->
                                process(
                                        before,
                                        service.like(port, settings),
                                        application.training(output),
                                        home.log("training")),
                        up.apply(port)));
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
        Application agent = Application.of(root, "node-agent", "io.berth.agent.AgentMain");
        return new Service("agent", agent, ports.agent(), flags, SMALL_NATIVE_HEAP);
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
        return Application.of(root, module, Application.GENERATED);
    }

    private Child child(Service service, Duration grace) {
        var role = new Child.Role(service.name(), service.port(), home.log(service.name()), grace);
        return new Child(
                role, () -> running(service, role.log()), Health.ofService(service.port()));
    }

    private Running running(Service service, Path log) throws IOException {
        List<String> application = service.application().running();
        return Running.of(process(List.of(), service, application, log).start());
    }

    /// The second compiler tier halves what a warm service takes of the processors, and makes a
    /// start dearer by two thirds: what is compiled for it counts its calls first. With a cache
    /// hardly anything is compiled at the start, so that only load pays for it.
    private static List<String> tiers(Application application) throws IOException {
        boolean both =
                application.trained()
                        || Runtime.getRuntime().availableProcessors() >= PROCESSORS_FOR_BOTH_TIERS;
        return both ? List.of() : List.of(FIRST_TIER);
    }

    private ProcessBuilder process(
            List<String> before, Service service, List<String> application, Path log)
            throws IOException {
        var command = new ArrayList<>(before);
        command.addAll(JVM);
        command.addAll(tiers(service.application()));
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
