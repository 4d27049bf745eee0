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
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The command `berth-session` of jobs: [JobEnd] by the agent's own JVM and classes, or by the
/// agent's own executable where that is native.
final class SessionCommand {
    private static final Logger LOG = LoggerFactory.getLogger(SessionCommand.class);

    /// Little of the job's memory.
    private static final String HEAP = "-Xmx32m";

    /// A quick start too.
    private static final String FLAGS =
            HEAP + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xshare:auto";

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

    private static @Nullable String ofClasses() {
        Path java = Path.of(System.getProperty("java.home", ""), "bin", "java");
        List<Path> classes = new ArrayList<>();
        for (Class<?> type : List.of(JobEnd.class, Frame.class)) {
            Path place = place(type);
            if (place == null || !Files.isExecutable(java)) {
                return null;
            }
            classes.add(place);
        }
        return "#!/bin/sh\nexec %s %s -cp %s:%s %s \"$@\"\n"
                .formatted(
                        quoted(java),
                        FLAGS,
                        quoted(classes.getFirst()),
                        quoted(classes.getLast()),
                        JobEnd.class.getName());
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
