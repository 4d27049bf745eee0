package io.berth.agent.launch;

import io.berth.agent.session.JobEnd;
import io.berth.slurm.session.Frame;
import io.quarkus.runtime.ImageMode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.CodeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The command `berth-session` of jobs: [JobEnd] by the agent's own JVM and classes, with their
/// ahead-of-time cache (`session.aot`) if it lies beside them, or by the agent's own executable
/// where that is native.
final class SessionCommand {
    private static final Logger LOG = LoggerFactory.getLogger(SessionCommand.class);

    /// Little of the job's memory.
    private static final String HEAP = "-Xmx32m";

    /// A quick start too.
    private static final String FLAGS =
            HEAP + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xlog:disable";

    private SessionCommand() {}

    /// Writes it, unless the agent runs from something else than jars or an executable: then
    /// interactive jobs fail here, and say that the command is not there.
    static void install(Path file) throws IOException {
        String text =
                ImageMode.current() == ImageMode.NATIVE_RUN
                        ? ofExecutable(Path.of("/proc/self/exe").toRealPath())
                        : ofClasses();
        if (text == null) {
            LOG.warn("Interactive jobs cannot run here: no JVM to run their end");
            return;
        }
        Shims.install(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), file, "rwxr-xr-x");
    }

    /// Each word goes behind a `=`, which [JobEnd] takes off: what looks like a setting of its own
    /// (`-Xmx4g`, `-Dname=value`) a native executable takes away from anywhere among its words.
    static String ofExecutable(Path executable) {
        return """
        #!/bin/sh
        for word do
            shift
            set -- "$@" "=$word"
        done
        exec %s %s %s "$@"
        """
                .formatted(quoted(executable), HEAP, JobEnd.WORD);
    }

    private static @Nullable String ofClasses() throws IOException {
        Path java = Path.of(System.getProperty("java.home", ""), "bin", "java");
        Path agent = place(JobEnd.class);
        Path language = place(Frame.class);
        return agent == null || language == null || !Files.isExecutable(java)
                ? null
                : ofJars(java, agent, language);
    }

    /// @param agent the jar of [JobEnd]
    /// @param language that of what it speaks
    static String ofJars(Path java, Path agent, Path language) throws IOException {
        Path cache = agent.resolveSibling("session.aot");
        return "#!/bin/sh\nexec %s %s%s -cp %s:%s %s \"$@\"\n"
                .formatted(
                        quoted(java),
                        FLAGS,
                        isOf(cache, agent, language) ? " -XX:AOTCache=" + quoted(cache) : "",
                        quoted(agent),
                        quoted(language),
                        JobEnd.class.getName());
    }

    /// Whether there is a cache, made of these classes: one of older ones might be used as it is.
    private static boolean isOf(Path cache, Path... jars) throws IOException {
        if (!Files.isReadable(cache)) {
            return false;
        }
        FileTime made = Files.getLastModifiedTime(cache);
        for (Path jar : jars) {
            if (Files.getLastModifiedTime(jar).compareTo(made) >= 0) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable Path place(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        try {
            return source == null || !source.getLocation().getProtocol().equals("file")
                    ? null
                    : Path.of(source.getLocation().toURI());
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private static String quoted(Path path) {
        return "'" + path.toString().replace("'", "'\\''") + "'";
    }
}
