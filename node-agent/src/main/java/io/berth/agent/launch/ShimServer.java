package io.berth.agent.launch;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The process that stays beside an agent and does in processes of its own what is ordered: a fork
/// of it costs a fraction of one of a JVM, and no program is loaded. It ends with the agent, and is
/// started again when it is needed and not there; the shims outlive it.
final class ShimServer {

    private final Commands processes;
    private final Path program;
    private final Path apart;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Process process;

    /// @param program the compiled shim
    /// @param apart the file that lists what it enters before it does anything
    ShimServer(Commands processes, Path program, Path apart) {
        this.processes = processes;
        this.program = program;
        this.apart = apart;
    }

    /// Has a shim forked. That it was shows in the run's folder.
    ///
    /// @param marks the variables that mark the task's processes
    void start(Path folder, List<String> marks) throws IOException {
        var order = new ArrayList<>(List.of("hold", folder.toString()));
        order.addAll(marks);
        send(order);
    }

    /// Has the files of a script tried: what is wrong with them shows in the run's folder as the
    /// file `tried`, which is empty if all is well.
    void tryFiles(Path folder, Account account, Path directory, OutputFiles files, boolean append)
            throws IOException {
        var order = new ArrayList<>(List.of("try", folder.toString()));
        order.addAll(account.numbers());
        order.addAll(List.of(directory.toString(), files.input().toString()));
        order.add(append ? "append" : "truncate");
        order.add(files.umask());
        order.addAll(List.of(files.output().toString(), files.error().toString()));
        send(order);
    }

    private void send(List<String> words) throws IOException {
        byte[] order = order(words);
        lock.lock();
        try {
            Process running = process;
            if (running == null || !running.isAlive()) {
                running = begin();
            }
            try {
                send(running, order);
            } catch (IOException e) {
                // It ended meanwhile, and has not read the order.
                send(begin(), order);
            }
        } finally {
            lock.unlock();
        }
    }

    /// A word that is empty, or has a NUL, would end the order, and the rest be read as another.
    private static byte[] order(List<String> words) throws IOException {
        if (words.stream().anyMatch(word -> word.isEmpty() || word.indexOf('\0') >= 0)) {
            throw new IOException("no shim can be told of " + words);
        }
        return (String.join("\0", words) + "\0\0").getBytes(StandardCharsets.UTF_8);
    }

    private Process begin() throws IOException {
        ProcessBuilder builder =
                processes.builder(List.of(program.toString(), "--serve", apart.toString()));
        builder.redirectInput(ProcessBuilder.Redirect.PIPE);
        Process begun = processes.start(builder);
        process = begun;
        return begun;
    }

    private static void send(Process to, byte[] order) throws IOException {
        OutputStream orders = to.getOutputStream();
        orders.write(order);
        orders.flush();
    }

    void close() {
        lock.lock();
        try {
            if (process != null) {
                process.destroy();
                process = null;
            }
        } finally {
            lock.unlock();
        }
    }
}
