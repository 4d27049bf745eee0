package io.berth.agent.session;

import io.berth.slurm.session.TrainingGateway;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;

/// The run that the ahead-of-time cache of `berth-session` is recorded from: a program whose
/// streams are at the other end of a session on the loopback.
///
/// `java -XX:AOTCacheOutput=session.aot -cp … io.berth.agent.session.JobEnd --train-aot`
final class JobEndTraining {

    private JobEndTraining() {}

    /// @return the exit code
    static int run() throws IOException, InterruptedException {
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> serve(server));
            String session = "ws://127.0.0.1:" + server.getLocalPort() + "/v1/sessions/1";
            return JobEnd.run(
                    List.of("echo", "trained"),
                    Map.of("BERTH_SESSION_URL", session, "BERTH_SESSION_SECRET", "job"));
        }
    }

    private static void serve(ServerSocket server) {
        try (Socket socket = server.accept()) {
            InputStream in = socket.getInputStream();
            new TrainingGateway(TrainingGateway.head(in), in, socket.getOutputStream())
                    .untilClosed();
        } catch (IOException e) {
            // The command fails too, and says why.
        }
    }
}
