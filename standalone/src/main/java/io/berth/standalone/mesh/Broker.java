package io.berth.standalone.mesh;

import io.berth.embedded.KafkaBroker;
import io.berth.standalone.mesh.MeshStatus.State;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The Kafka broker as a part of the mesh. It lives in this process, and this process ends with it
/// if it fails beyond repair.
final class Broker implements AutoCloseable {

    static final String NAME = "kafka";

    private final Ports ports;
    private final CompletableFuture<KafkaBroker> started;

    private Broker(Ports ports, CompletableFuture<KafkaBroker> started) {
        this.ports = ports;
        this.started = started;
    }

    /// Starts a broker beside the caller, who goes on.
    ///
    /// @param then done when it has started, or failed to
    static Broker start(MeshHome home, Ports ports, Runnable then) {
        var started = new CompletableFuture<KafkaBroker>();
        var unused = started.whenComplete((_, _) -> then.run());
        Thread.ofPlatform()
                .name("broker-start")
                .daemon()
                .start(() -> {
                    try {
                        started.complete(
                                KafkaBroker.start(
                                        home.kafka(), ports.kafka(), ports.kafkaController()));
                    } catch (IOException | RuntimeException e) {
                        started.completeExceptionally(e);
                    }
                });
        return new Broker(ports, started);
    }

    /// Why it did not start, null if it did or still may.
    @Nullable Throwable failure() {
        return started.isCompletedExceptionally() ? started.exceptionNow() : null;
    }

    MeshStatus.Part status() {
        return new MeshStatus.Part(
                NAME,
                started.isDone() && !started.isCompletedExceptionally()
                        ? State.READY
                        : State.STARTING,
                ProcessHandle.current().pid(),
                ports.kafka(),
                0,
                "in the supervisor",
                null);
    }

    @Override
    public void close() {
        started.handle(
                        (broker, failure) -> {
                            if (broker != null) {
                                broker.close();
                            }
                            return true;
                        })
                .join();
    }
}
