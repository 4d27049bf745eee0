package io.berth.agent.session;

import io.berth.slurm.session.Frame;
import io.berth.slurm.session.FrameLink;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// A file on its way to one node of a job, as [Broadcast] has it: a process there reads it.
abstract sealed class NodeCopy {

    private static final int LOST = 1;
    private static final byte[] GO = "go\n".getBytes(StandardCharsets.US_ASCII);

    private final String node;
    private final CompletableFuture<Boolean> whole = new CompletableFuture<>();
    private final CompletableFuture<Integer> exit = new CompletableFuture<>();
    private final StringBuffer said = new StringBuffer();
    private volatile OutputStream input = OutputStream.nullOutputStream();

    private NodeCopy(String node) {
        this.node = node;
    }

    /// Starts what takes the file.
    ///
    /// @param command that reads it
    abstract void start(List<String> command);

    String node() {
        return node;
    }

    /// Whether it may still take the file.
    boolean takes() {
        return !exit.isDone();
    }

    /// Hands it the first so many bytes, unless it takes none any more.
    void write(byte[] bytes, int length) {
        if (takes()) {
            try {
                input.write(bytes, 0, length);
                input.flush();
            } catch (IOException e) {
                // Told by its end.
            }
        }
    }

    /// Waits until the node has all of the file beside its place. Whether it has: it may have
    /// ended.
    boolean isWhole() {
        return whole.join();
    }

    /// Says that the file is to come into its place, or not.
    void settle(boolean go) {
        try (OutputStream last = input) {
            if (go) {
                last.write(GO);
            }
        } catch (IOException e) {
            // Told by its end.
        }
    }

    /// Waits for the end.
    int exit() {
        return exit.join();
    }

    /// What was wrong, as the last of its words say; empty if nothing was.
    String why() {
        String text = said.toString().strip();
        String last = text.substring(text.lastIndexOf('\n') + 1);
        return last.substring(last.lastIndexOf(": ") + 1).strip();
    }

    final void takes(OutputStream from) {
        input = from;
    }

    final void says(String text) {
        said.append(text);
    }

    final void isReady() {
        whole.complete(true);
    }

    final void ended(int code) {
        whole.complete(false);
        exit.complete(code);
    }

    final void lost(String why) {
        if (!exit.isDone()) {
            says("\n" + why);
            ended(LOST);
        }
    }

    /// On this node.
    static final class Here extends NodeCopy {
        private final Map<String, String> environment;

        Here(String node, Map<String, String> environment) {
            super(node);
            this.environment = environment;
        }

        @Override
        void start(List<String> command) {
            try {
                var builder = new ProcessBuilder(command);
                builder.environment().clear();
                builder.environment().putAll(environment);
                Process process = builder.start();
                takes(process.getOutputStream());
                Thread.ofPlatform().daemon().start(() -> watch(process));
            } catch (IOException e) {
                lost(String.valueOf(e.getMessage()));
            }
        }

        private void watch(Process process) {
            try (BufferedReader words =
                    new BufferedReader(
                            new InputStreamReader(
                                    process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String word = words.readLine(); word != null; word = words.readLine()) {
                    isReady();
                }
                says(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
                ended(process.waitFor());
            } catch (IOException e) {
                lost(String.valueOf(e.getMessage()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /// On another node, through the gateway.
    static final class There extends NodeCopy {
        private static final int PIPE_BYTES = 256 << 10;

        private final Map<String, String> environment;
        private final PipedInputStream pipe = new PipedInputStream(PIPE_BYTES);

        There(String node, Map<String, String> environment) {
            super(node);
            this.environment = environment;
        }

        @Override
        void start(List<String> command) {
            try {
                takes(new PipedOutputStream(pipe));
            } catch (IOException e) {
                throw new IllegalStateException("connect the two ends of a new pipe", e);
            }
            Thread.ofPlatform().daemon().start(() -> pass(command));
        }

        private void pass(List<String> command) {
            try (InputStream from = pipe;
                    FrameLink socket = StepGateway.of(environment).connect(node(), this::take)) {
                var unused = socket.closed().thenRun(() -> lost("connection lost"));
                var part =
                        new StepPart(Path.of("").toAbsolutePath().toString(), environment, command);
                for (Frame frame : part.frames()) {
                    socket.send(frame);
                }
                socket.sendInput(from);
                var unusedCode = exit();
            } catch (IOException e) {
                lost(String.valueOf(e.getMessage()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void take(Frame frame) {
            switch (frame.channel()) {
                case OUTPUT -> isReady();
                case ERROR -> says(new String(frame.payload(), StandardCharsets.UTF_8));
                case CONTROL -> {
                    if (frame.words().getFirst().equals("exit")) {
                        ended(Integer.parseInt(frame.words().getLast()));
                    }
                }
                // That is this end's to send.
                case INPUT, BESIDE -> {}
            }
        }
    }
}
