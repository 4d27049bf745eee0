package io.berth.agent.session;

import io.berth.slurm.session.Frame;
import io.berth.slurm.session.FrameLink;
import io.berth.slurm.session.WakeableInput;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// The part of a step on one of its nodes, as the one who started the step has it.
abstract sealed class NodePart {

    private static final int FAILED = 1;

    private final CompletableFuture<Integer> exit = new CompletableFuture<>();
    private final CompletableFuture<Void> unheard = new CompletableFuture<>();
    private volatile boolean lost;

    abstract void start();

    /// Hands a signal on.
    ///
    /// @param name without SIG
    abstract void signal(String name);

    /// The terminal of the step has another size now. Of one that is here the kernel tells.
    ///
    /// @param size rows and columns
    void resize(String size) {}

    /// How it ended; a part that could not be started, or of which nothing is known any more, has
    /// failed.
    CompletableFuture<Integer> exit() {
        return exit;
    }

    /// Done when what it writes cannot be handed on any more, as nobody reads it.
    CompletableFuture<Void> unheard() {
        return unheard;
    }

    void stopsBeingHeard() {
        unheard.complete(null);
    }

    /// Whether nothing is known of it any more.
    boolean lost() {
        return lost;
    }

    void ended(int code) {
        exit.complete(code);
    }

    void failed(String node, String why) {
        lost = true;
        if (exit.complete(FAILED)) {
            System.err.println("srun: error: %s: %s".formatted(node, why));
        }
    }

    /// On this node, with the streams of this process.
    static final class Here extends NodePart {
        private final ProcessBuilder builder;
        private @Nullable Process process;

        Here(List<String> command, Map<String, String> environment, boolean reads) {
            builder = new ProcessBuilder(command).inheritIO();
            builder.environment().clear();
            builder.environment().putAll(environment);
            if (!reads) {
                builder.redirectInput(Redirect.from(new File("/dev/null")));
            }
        }

        @Override
        void start() {
            try {
                process = builder.start();
                var unused = process.onExit().thenAccept(over -> ended(over.exitValue()));
            } catch (IOException e) {
                failed("here", String.valueOf(e.getMessage()));
            }
        }

        @Override
        void signal(String name) {
            if (process != null && process.isAlive()) {
                Terminal.runQuietly(List.of("kill", "-s", name, Long.toString(process.pid())));
            }
        }
    }

    /// On another node, through the gateway.
    static final class There extends NodePart {
        private final String node;
        private final StepPart part;
        private final InputStream input;
        private final List<String> early = new ArrayList<>();
        private @Nullable FrameLink running;

        There(String node, StepPart part, InputStream input) {
            this.node = node;
            this.part = part;
            this.input = input;
        }

        @Override
        void start() {
            Thread.Builder thread =
                    input instanceof WakeableInput
                            ? Thread.ofPlatform().daemon()
                            : Thread.ofVirtual();
            thread.start(this::connect);
        }

        private void connect() {
            try {
                FrameLink connected = StepGateway.of(part.environment()).connect(node, this::take);
                var unused = connected.closed().thenRun(() -> failed(node, "connection lost"));
                for (Frame frame : part.frames()) {
                    connected.send(frame);
                }
                runs(connected);
                connected.sendInput(input);
            } catch (IOException e) {
                if (!exit().isDone()) {
                    failed(node, String.valueOf(e.getMessage()));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void take(Frame frame) {
            switch (frame.channel()) {
                case OUTPUT -> print(System.out, frame);
                case ERROR -> print(System.err, frame);
                case CONTROL -> {
                    if (frame.words().getFirst().equals("exit")) {
                        ended(Integer.parseInt(frame.words().getLast()));
                    }
                }
                // That is this end's to send.
                case INPUT, BESIDE -> {}
            }
        }

        private void print(PrintStream stream, Frame frame) {
            stream.write(frame.payload(), 0, frame.payload().length);
            if (stream.checkError()) {
                stopsBeingHeard();
            }
        }

        /// It has been told what to run: what was to be told before is so now.
        private synchronized void runs(FrameLink connected) {
            running = connected;
            early.forEach(this::tell);
        }

        @Override
        synchronized void signal(String name) {
            tell("signal " + name);
        }

        @Override
        synchronized void resize(String size) {
            tell("size " + size);
        }

        private void tell(String words) {
            if (running == null) {
                early.add(words);
            } else if (!exit().isDone()) {
                try {
                    running.send(Frame.control(words));
                } catch (IOException e) {
                    // Told by the end of the connection.
                }
            }
        }
    }
}
