package io.berth.cli;

import io.berth.slurm.session.Frame;
import io.berth.slurm.session.Frame.Channel;
import io.berth.slurm.session.TrainingGateway;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;

/// The run that an ahead-of-time cache is recorded from: every listing once, and a program in a job
/// of its own, against canned answers on a port of the loopback, with the output thrown away.
///
/// `java -XX:AOTCacheOutput=cli.aot -cp … io.berth.cli.Main --train-aot`
final class AotTraining {

    /// A token of nobody's, which says that its bearer is an operator.
    private static final String TOKEN = "e30.eyJzdWIiOiJhIiwiZ3JvdXBzIjpbIm9wZXJhdG9yIl19.";

    private static final List<String> COMMANDS =
            List.of(
                    "sbatch -N2 --gres=gpu:1 --time=1:00:00 --wait --wrap true",
                    "srun --gres=gpu:1 hostname",
                    "squeue",
                    "squeue -l -u alice -t all",
                    "squeue --json",
                    "sinfo",
                    "sinfo -N -l",
                    "sacct -a",
                    "sacct -j 1 -P -o JobID,State,Elapsed,Start",
                    "sacct --json",
                    "scontrol show job 1",
                    "scontrol show node",
                    "scontrol show partition",
                    "scancel 1",
                    "why 1");

    private AotTraining() {}

    /// @return the highest exit code
    static int run() {
        byte[] jobs = answer("training.json");
        byte[] nodes = answer("training-nodes.json");
        try (var server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> serve(server, jobs, nodes));
            int worst = 0;
            for (String command : COMMANDS) {
                Terminal terminal = terminal(server.getLocalPort());
                worst = Math.max(worst, Main.run(terminal, List.of(command.split(" "))));
            }
            return worst;
        } catch (IOException e) {
            throw new UncheckedIOException("listening on the loopback", e);
        }
    }

    private static Terminal terminal(int port) {
        var nowhere =
                new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        String url = "http://127.0.0.1:" + port;
        return new Terminal(
                new ByteArrayInputStream(new byte[0]),
                nowhere,
                nowhere,
                Map.of("BERTH_URL", url, "BERTH_ACCOUNTING_URL", url, "BERTH_TOKEN", TOKEN),
                Path.of("").toAbsolutePath(),
                "nobody",
                Clock.systemUTC(),
                ZoneId::systemDefault,
                _ -> {});
    }

    /// A body that has what several commands look for.
    private static byte[] answer(String resource) {
        try (InputStream in = AotTraining.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is not beside its class");
            }
            byte[] body = in.readAllBytes();
            String head =
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                            + body.length
                            + "\r\nBerth-Position: 1\r\n\r\n";
            return (head + new String(body, StandardCharsets.UTF_8))
                    .getBytes(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("reading " + resource, e);
        }
    }

    private static void serve(ServerSocket server, byte[] jobs, byte[] nodes) {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                Thread.ofVirtual().start(() -> serve(socket, jobs, nodes));
            } catch (IOException e) {
                // The training is over.
                return;
            }
        }
    }

    private static void serve(Socket connection, byte[] jobs, byte[] nodes) {
        try (Socket socket = connection) {
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            for (String head = request(in); !head.isEmpty(); head = request(in)) {
                if (head.contains("Upgrade: websocket")) {
                    session(new TrainingGateway(head, in, out));
                    return;
                }
                out.write(head.contains(" /v1/nodes") ? nodes : jobs);
            }
        } catch (IOException e) {
            // The client has gone.
        }
    }

    /// A program that writes a word, and ends.
    private static void session(TrainingGateway gateway) throws IOException {
        gateway.send(Frame.control("started gpu-01"));
        byte[] word = {'a', '\n'};
        gateway.send(Frame.of(Channel.OUTPUT, word, word.length));
        gateway.send(Frame.control("exit 0"));
        gateway.untilClosed();
    }

    /// Reads a request with its body.
    ///
    /// @return its head, "" if there is no request any more
    private static String request(InputStream in) throws IOException {
        String head = TrainingGateway.head(in);
        int at = head.indexOf("Content-Length: ");
        if (at >= 0) {
            in.skipNBytes(Long.parseLong(head.substring(at + 16, head.indexOf("\r", at))));
        }
        return head;
    }
}
