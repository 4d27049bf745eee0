package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.event.OutputRequest;
import io.berth.contracts.topic.Topics;
import io.berth.slurm.session.Frame;
import io.berth.slurm.session.FrameSocket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// The agent of a job's node, as far as the gateway asks it what the job wrote.
final class FakeAgent implements AutoCloseable {
    private final BlockingQueue<List<Frame>> answers = new LinkedBlockingQueue<>();
    private final CompletableFuture<OutputRequest> asked = new CompletableFuture<>();
    private final CompletableFuture<FrameSocket> socket = new CompletableFuture<>();
    private final Thread thread;

    FakeAgent(Mesh mesh, long job) {
        thread = Thread.ofPlatform().daemon().start(() -> serve(mesh, job));
    }

    /// What it answers the first who asks.
    void says(Frame... frames) {
        answers.add(List.of(frames));
    }

    /// What it adds once it is there.
    void adds(Frame frame) throws Exception {
        socket.get(20, TimeUnit.SECONDS).send(frame);
    }

    OutputRequest asked() throws Exception {
        return asked.get(20, TimeUnit.SECONDS);
    }

    void goes() throws Exception {
        socket.get(20, TimeUnit.SECONDS).close();
    }

    void awaitLetGo() throws Exception {
        socket.get(20, TimeUnit.SECONDS).closed().get(20, TimeUnit.SECONDS);
        assertThat(asked).isCompleted();
    }

    private void serve(Mesh mesh, long job) {
        try {
            List<Frame> answer = answers.take();
            OutputRequest request = request(mesh, job);
            var here =
                    FrameSocket.connect(URI.create(request.session()), request.secret(), _ -> {});
            socket.complete(here);
            asked.complete(request);
            for (Frame frame : answer) {
                here.send(frame);
            }
        } catch (Exception e) {
            asked.completeExceptionally(e);
            socket.completeExceptionally(e);
        }
    }

    private static OutputRequest request(Mesh mesh, long job) throws Exception {
        while (true) {
            for (OutputRequest request : mesh.everywhere(Topics.OUTPUT_REQUESTS)) {
                if (request.job().value() == job) {
                    return request;
                }
            }
            Thread.sleep(20);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        var unused = socket.thenAccept(FrameSocket::close);
    }
}
