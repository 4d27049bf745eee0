package io.berth.standalone.mesh;

import io.berth.embedded.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The services as processes: each a packaged Quarkus application of this checkout, told where the
/// others are.
///
/// @param root of the checkout
public record Services(Path root, MeshHome home, Ports ports, Offer offer, Leash leash) {

    private static final Duration GRACE = Duration.ofSeconds(10);

    /// Runs may take their own grace to end.
    private static final Duration AGENT_GRACE = Duration.ofSeconds(60);

    /// One compiler tier and one collector thread: quick to start, small, and fast enough for the
    /// load of one machine. Heaps begin small and have room for a few hundred thousand jobs.
    private static final List<String> JVM =
            List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseCompactObjectHeaders",
                    "-XX:-UsePerfData",
                    "-XX:+ExitOnOutOfMemoryError",
                    "-Xms48m",
                    "-Xss512k",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED");

    Child submit() {
        return child("submit", ports.submit(), GRACE, List.of("-Xmx512m"), "submit-service");
    }

    Child priority() {
        return child("priority", ports.priority(), GRACE, List.of("-Xmx384m"), "priority-service");
    }

    Child placement() {
        List<String> flags =
                List.of("-Xmx512m", "-Dberth.placement.signing-key=" + home.placementKey());
        return child("placement", ports.placement(), GRACE, flags, "placement-service");
    }

    Child agent() {
        var flags = new ArrayList<String>();
        flags.add("-Xmx96m");
        flags.add("-Dberth.agent.home=" + home.spool());
        flags.add("-Dberth.agent.placement-keys=" + home.placementKeys());
        flags.add("-Dberth.agent.on-shutdown=stop");
        flags.add("-Dberth.agent.cgroup-parent=berth-" + ports.base());
        flags.add("-Dberth.agent.host=" + offer.host());
        offer.gpuProfile().ifPresent(name -> flags.add("-Dberth.agent.gpu-profile=" + name));
        offer.virtual().ifPresent(nodes -> flags.add("-Dberth.agent.virtual=" + nodes));
        return child("agent", ports.agent(), AGENT_GRACE, flags, "node-agent");
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
                    List<String> flags =
                            List.of(
                                    "-Xmx384m",
                                    "-Dberth.accounting.cluster-file=" + home.cluster(),
                                    "-Dquarkus.datasource.jdbc.url=" + server.jdbcUrl(),
                                    "-Dquarkus.datasource.reactive.url=" + server.reactiveUrl(),
                                    "-Dquarkus.datasource.username=" + server.user());
                    ProcessBuilder builder = builder(role, flags, "accounting-service");
                    builder.environment().put("QUARKUS_DATASOURCE_PASSWORD", server.password());
                    return Running.of(builder.start());
                },
                Health.ofService(ports.accounting()));
    }

    private Child child(String name, int port, Duration grace, List<String> flags, String module) {
        var role = new Child.Role(name, port, home.log(name), grace);
        return new Child(
                role,
                () -> Running.of(builder(role, flags, module).start()),
                Health.ofService(port));
    }

    private ProcessBuilder builder(Child.Role role, List<String> flags, String module)
            throws IOException {
        Path application = root.resolve(module).resolve("target/quarkus-app/quarkus-run.jar");
        if (!Files.exists(application)) {
            throw new IOException(application + " is missing: build first");
        }
        var command = new ArrayList<>(JVM);
        command.add("-XX:ErrorFile=" + home.logs().resolve(role.name() + "-hs_err.log"));
        command.add("-Dquarkus.http.host=127.0.0.1");
        command.add("-Dquarkus.http.port=" + role.port());
        command.add("-Dkafka.bootstrap.servers=127.0.0.1:" + ports.kafka());
        command.add("-Dmp.jwt.verify.publickey.location=file:" + home.publicKey());
        command.add("-Dmp.jwt.verify.publickey.algorithm=ES256");
        command.add("-Dmp.jwt.verify.issuer=" + Identity.ISSUER);
        // The supervisor asks often, and shows the answers itself.
        command.add("-Dquarkus.log.category.\"io.smallrye.health\".level=WARN");
        command.addAll(flags);
        command.add("-jar");
        command.add(application.toString());
        LogFiles.setAsideIfLarge(role.log());
        return leash.bind(command)
                .directory(home.root().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(role.log().toFile()));
    }
}
