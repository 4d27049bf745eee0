package io.berth.standalone.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.topic.Access;
import io.berth.embedded.GuardedBroker;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the page on deployment has people type.
class DeployPageTest {

    @TempDir Path folder;

    /// The first block of that language after that heading.
    private static String block(String heading, String language) {
        Matcher block =
                Pattern.compile(
                                "### %s\n.*?```%s\n(.*?)```".formatted(heading, language),
                                Pattern.DOTALL)
                        .matcher(Checkout.read("docs/deploy.md"));
        assertThat(block.find()).as(heading).isTrue();
        return block.group(1);
    }

    @Test
    void the_commands_make_a_certificate_for_every_client() throws Exception {
        Path script = Checkout.ROOT.resolve("examples/certify.sh");
        Files.copy(
                script,
                Files.createDirectory(folder.resolve("examples")).resolve(script.getFileName()),
                StandardCopyOption.COPY_ATTRIBUTES);

        run("set -e\n" + block("Certificates", "sh"));

        for (Access it : Access.all()) {
            String name = it.equals(Access.AGENT) ? "node1" : it.client();
            run("openssl verify -CAfile tls/ca.crt tls/" + name + ".crt");
            assertThat(folder.resolve("tls").resolve(name + ".key")).isNotEmptyFile();
        }
        run(
                "openssl verify -CAfile tls/ca.crt -verify_hostname kafka1.example -purpose sslserver tls/kafka1.crt");
    }

    private void run(String script) throws Exception {
        Path said = folder.resolve("said");
        int status =
                new ProcessBuilder("sh", "-c", script)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start()
                        .waitFor();
        assertThat(status).as(() -> script + read(said)).isZero();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Test
    void brokers_are_guarded_as_those_of_the_tests_are() throws Exception {
        var settings = new Properties();
        settings.load(new StringReader(block("Brokers", "properties")));

        assertThat(settings).containsAllEntriesOf(GuardedBroker.GUARD);
    }
}
