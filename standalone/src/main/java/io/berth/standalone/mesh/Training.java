package io.berth.standalone.mesh;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes later starts and their first jobs faster: where a service has no AOT cache, a
/// [TrainingMesh] runs beside the mesh that is up, at the lowest priority. It ends by itself, or
/// with the mesh.
public final class Training {

    private static final Logger LOG = LoggerFactory.getLogger(Training.class);
    private static final long LIMIT_MINUTES = 20;

    /// How long a training that is given up may take to put away what it has begun.
    private static final long GRACE_SECONDS = 30;

    private final Services services;
    private final Thread thread;

    /// @param services of the mesh
    public Training(Services services) {
        this.services = services;
        this.thread = Thread.ofPlatform().name("training").daemon().unstarted(this::run);
    }

    /// Begins, beside a mesh that is up, if a service has no cache.
    public void begin() throws IOException {
        for (Application application : services.applications()) {
            if (!application.trained()) {
                thread.start();
                return;
            }
        }
    }

    /// Begins to give up what is not done; [#awaitEnd] waits until nothing is left of it.
    public void giveUp() {
        thread.interrupt();
    }

    public void awaitEnd() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        Path log = services.home().log("training");
        try {
            if (train(log)) {
                // The broker was in the process of the training, whose cache is made last.
                services.supervisor().keepCache();
                LOG.info("The services are trained: they start faster from now on");
            } else {
                LOG.warn("The services start more slowly: training them failed, see {}", log);
            }
        } catch (IOException e) {
            LOG.warn("The services start more slowly: training them failed: {}", e.getMessage());
        } catch (InterruptedException e) {
            LOG.info("The training is given up");
        }
    }

    /// Whether it succeeded.
    private boolean train(Path log) throws IOException, InterruptedException {
        String script = services.root().resolve("berth").toString();
        LogFiles.setAsideIfLarge(log);
        ProcessBuilder builder =
                services.leash()
                        .bind(List.of("nice", "-n", "19", script, "train-mesh"))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        try {
            return process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES) && process.exitValue() == 0;
        } finally {
            end(process);
        }
    }

    private static void end(Process process) throws InterruptedException {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            children.forEach(ProcessHandle::destroyForcibly);
        }
    }
}
