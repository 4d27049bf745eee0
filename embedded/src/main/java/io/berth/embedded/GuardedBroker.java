package io.berth.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.scram.ScramLoginModule;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;

/// A [KafkaBroker] as a cluster of many hosts has it, for tests: over TLS it lets in who shows a
/// certificate of its authority, or has a password, and lets him do what he is allowed. The others
/// of a test come by a listener without TLS, where everybody may do everything.
public final class GuardedBroker implements AutoCloseable {

    /// Kafka's rules begin with `User:`, and name who has a certificate by its subject.
    private static final String PRINCIPAL = "User:CN=";

    /// What `docs/deploy.md` gives every broker, beside its addresses and files.
    public static final Map<String, String> GUARD =
            Map.of(
                    "ssl.keystore.type", "PEM",
                    "ssl.truststore.type", "PEM",
                    "ssl.client.auth", "required",
                    "ssl.principal.mapping.rules",
                            "RULE:^CN=[^,]+,OU=(berth-[a-z]+)$/CN=$1/,DEFAULT",
                    "authorizer.class.name", StandardAuthorizer.class.getName());

    private final Path directory;
    private final Path certificates;
    private final boolean apart;
    private final int port = FreePorts.next();
    private final int guardedPort = FreePorts.next();
    private final int passwordPort = FreePorts.next();
    private final int controllerPort = FreePorts.next();
    private Broker broker;

    /// A broker that runs.
    private interface Broker {
        void close();
    }

    private GuardedBroker(Path directory, Path certificates, boolean apart) throws IOException {
        this.directory = directory;
        this.certificates = certificates;
        this.apart = apart;
        this.broker = start();
    }

    /// Starts one, with an authority of its own.
    ///
    /// @param directory of its data and of all certificates
    /// @throws IOException if the folder cannot be written, or `openssl` is missing
    public static GuardedBroker start(Path directory) throws IOException {
        return start(directory, false);
    }

    /// The same in a process of its own, which is killed when it is closed.
    public static GuardedBroker startApart(Path directory) throws IOException {
        return start(directory, true);
    }

    private static GuardedBroker start(Path directory, boolean apart) throws IOException {
        Path certificates = Files.createDirectories(directory.resolve("tls"));
        new Certificates(certificates).certify("broker", "/CN=broker", "IP:127.0.0.1");
        return new GuardedBroker(directory.resolve("kafka"), certificates, apart);
    }

    /// Starts it anew after it was closed: where it was, with what it had.
    public void restart() throws IOException {
        broker = start();
    }

    /// Where everybody may do everything.
    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    /// Something that a client may do.
    ///
    /// @param resource as [ResourceType] names it
    /// @param prefixed whether the name is only the beginning of names
    /// @param operations as [AclOperation] names them
    public record Right(
            Enum<?> resource, String name, boolean prefixed, List<? extends Enum<?>> operations) {

        private Stream<AclBinding> rules(String client) {
            var pattern =
                    new ResourcePattern(
                            ResourceType.valueOf(resource.name()),
                            name,
                            prefixed ? PatternType.PREFIXED : PatternType.LITERAL);
            return operations.stream()
                    .map(it ->
                            new AclBinding(
                                    pattern,
                                    new AccessControlEntry(
                                            PRINCIPAL + client,
                                            "*",
                                            AclOperation.valueOf(it.name()),
                                            AclPermissionType.ALLOW)));
        }
    }

    /// Lets a client in, who may do that and nothing else.
    ///
    /// @return the address and his certificates, as `kafka.` settings
    /// @throws IOException if the certificate cannot be made
    public Map<String, String> admit(String client, List<Right> rights) throws IOException {
        allow(rights.stream().flatMap(it -> it.rules(client)).toList());
        return settings(client, "/CN=" + client);
    }

    /// The address, and a new certificate, as `kafka.` settings.
    ///
    /// @param subject as `openssl` takes it
    public Map<String, String> settings(String client, String subject) throws IOException {
        new Certificates(certificates).certify(client, subject);
        return Map.of(
                "kafka.bootstrap.servers", "127.0.0.1:" + guardedPort,
                "kafka.tls.ca", certificates.resolve("ca.crt").toString(),
                "kafka.tls.certificate", certificates.resolve(client + ".crt").toString(),
                "kafka.tls.key", certificates.resolve(client + ".key").toString());
    }

    /// Lets in who has a password, and may do nothing.
    ///
    /// @return the address and what the broker is known by, as `kafka.` settings
    public Map<String, String> enlist(String client, String password) {
        var scram = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096);
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
            admin.alterUserScramCredentials(
                            List.of(new UserScramCredentialUpsertion(client, scram, password)))
                    .all()
                    .get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("cannot enlist " + client, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
        return Map.of(
                "kafka.bootstrap.servers",
                "127.0.0.1:" + passwordPort,
                "kafka.tls.ca",
                certificates.resolve("ca.crt").toString());
    }

    /// Returns when the rules hold.
    private void allow(List<AclBinding> rules) {
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
            admin.createAcls(rules).all().get();
            while (!admin.describeAcls(AclBindingFilter.ANY).values().get().containsAll(rules)) {
                Thread.sleep(5);
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("cannot allow " + rules, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        broker.close();
    }

    private Broker start() throws IOException {
        if (apart) {
            return startProcess();
        }
        KafkaBroker here = KafkaBroker.start(directory, port, controllerPort, guard());
        return here::close;
    }

    private Broker startProcess() throws IOException {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx256m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                GuardedBroker.class.getName(),
                                directory.toString(),
                                Integer.toString(port),
                                Integer.toString(controllerPort)));
        guard().forEach((name, value) -> command.add(name + "=" + value));
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolveSibling("broker.log").toFile())
                        .start();
        while (FreePorts.isFree(port)) {
            if (!process.isAlive()) {
                throw new IOException(
                        "the broker ends, see broker.log in " + directory.getParent());
            }
            LockSupport.parkNanos(50_000_000);
        }
        return () -> process.destroyForcibly().onExit().join();
    }

    /// The process of a broker that is apart. It ends with its input, and so with its parent.
    ///
    /// @param words folder, port, port of the controller, and what its settings are besides
    public static void main(String[] words) throws IOException {
        var further = new HashMap<String, String>();
        for (String setting : List.of(words).subList(3, words.length)) {
            String[] parts = setting.split("=", 2);
            further.put(parts[0], parts[1]);
        }
        KafkaBroker.start(
                Path.of(words[0]), Integer.parseInt(words[1]), Integer.parseInt(words[2]), further);
        while (System.in.read() >= 0) {}
        System.exit(0);
    }

    private Map<String, String> guard() {
        String plain = "PLAINTEXT://127.0.0.1:" + port;
        String guarded =
                "GUARDED://127.0.0.1:%d,PASSWORD://127.0.0.1:%d"
                        .formatted(guardedPort, passwordPort);
        var settings = new HashMap<>(GUARD);
        settings.put(
                "listeners", plain + "," + guarded + ",CONTROLLER://127.0.0.1:" + controllerPort);
        settings.put("advertised.listeners", plain + "," + guarded);
        settings.put(
                "listener.security.protocol.map",
                "PLAINTEXT:PLAINTEXT,GUARDED:SSL,PASSWORD:SASL_SSL,CONTROLLER:PLAINTEXT");
        settings.put("listener.name.password.ssl.client.auth", "none");
        settings.put("sasl.enabled.mechanisms", "SCRAM-SHA-512");
        settings.put(
                "listener.name.password.scram-sha-512.sasl.jaas.config",
                ScramLoginModule.class.getName() + " required;");
        settings.put("ssl.keystore.location", certificates.resolve("broker.pem").toString());
        settings.put("ssl.truststore.location", certificates.resolve("ca.crt").toString());
        settings.put("super.users", "User:ANONYMOUS");
        return settings;
    }
}
