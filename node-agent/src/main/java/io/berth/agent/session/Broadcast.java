package io.berth.agent.session;

import io.berth.agent.session.StepLayout.Held;
import io.berth.agent.session.StepLayout.Impossible;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.session.FileTold;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// `berth-session --bcast` is the `sbcast` of a job: it copies a file to the job's nodes, on each
/// as the job's user and within the job's limits, by the sessions that [steps][StepRun] use.
///
/// The file is read once. Each node takes it beside its place ([receive.sh][#RECEIVE]) and says
/// when it is whole there; when all have, each is told to put it into its place. So nobody finds a
/// half-written file, and where one node cannot take it none keeps it, unless it fails in that last
/// moment. What ends this program before that leaves nothing.
///
/// Source: sbcast(1) of Slurm 22.05, but that files go from here to each node, and not from node to
/// node.
final class Broadcast {

    private static final int FAILED = 1;
    private static final int CHUNK_BYTES = 64 << 10;

    /// What a node runs that takes the file.
    private static final String RECEIVE = resource("receive.sh");

    private final BroadcastLine line;
    private final FileTold file;
    private final List<NodeCopy> copies = new ArrayList<>();

    private Broadcast(BroadcastLine line, FileTold file) {
        this.line = line;
        this.file = file;
    }

    /// @param arguments what follows `--bcast`
    /// @return the exit code: 0 if the file is on all nodes
    static int run(List<String> arguments, Map<String, String> environment)
            throws InterruptedException {
        try {
            BroadcastLine line =
                    BroadcastLine.parse(
                            arguments, Path.of("").toAbsolutePath().toString(), environment);
            FileTold handed = line.handed();
            if (handed != null) {
                // Not System.in, which reads more than it is asked for: what follows the file is
                // not this program's.
                return new Broadcast(line, handed)
                        .send(new FileInputStream(FileDescriptor.in), environment);
            }
            Path source = Path.of(line.source());
            try (InputStream in = FileTold.open(source, line.source())) {
                return new Broadcast(line, FileTold.of(source, line.source()))
                        .send(in, environment);
            }
        } catch (InvalidOption e) {
            System.err.print(e.print("sbcast"));
        } catch (Impossible | IOException e) {
            say(String.valueOf(e.getMessage()));
        }
        return FAILED;
    }

    private static String resource(String name) {
        try (InputStream text = Broadcast.class.getResourceAsStream(name)) {
            if (text == null) {
                throw new IllegalStateException(name + " is not packaged");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("read " + name + " of this program", e);
        }
    }

    private static void say(String why) {
        System.err.println("sbcast: error: " + why);
    }

    private int send(InputStream from, Map<String, String> environment)
            throws IOException, Impossible, InterruptedException {
        prepare(environment);
        copies.forEach(it -> it.start(command()));
        boolean whole = pass(from);
        boolean all = whole;
        if (!all) {
            // Nothing more comes, for which they would wait.
            copies.forEach(it -> it.settle(false));
            say("`%s` ended before its %d bytes".formatted(line.source(), file.bytes()));
        }
        for (NodeCopy copy : copies) {
            all &= copy.isWhole();
        }
        for (NodeCopy copy : copies) {
            copy.settle(all);
        }
        int worst = all ? 0 : FAILED;
        for (NodeCopy copy : copies) {
            if (copy.exit() != 0) {
                worst = FAILED;
                if (whole && !copy.why().isEmpty()) {
                    say("REQUEST_FILE_BCAST(%s): %s".formatted(copy.node(), copy.why()));
                }
            }
        }
        return worst;
    }

    private List<String> command() {
        return List.of(
                "sh",
                "-c",
                RECEIVE,
                "sbcast",
                line.destination(),
                Long.toString(file.bytes()),
                file.mode(),
                line.force() ? "force" : "",
                line.preserve() ? file.accessed() + " " + file.modified() : "",
                line.byNode() ? "by-node" : "");
    }

    /// The nodes of the job, or of all its components: each once.
    private void prepare(Map<String, String> environment) throws Impossible {
        int components = Integer.parseInt(environment.getOrDefault("SLURM_HET_SIZE", "1"));
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < components; i++) {
            if (!line.component().isEmpty() && !line.component().equals(Integer.toString(i))) {
                continue;
            }
            boolean several = components > 1;
            Map<String, String> its =
                    several ? StepPlan.ofComponent(Integer.toString(i), environment) : environment;
            for (String node : nodes(its)) {
                if ((line.nodes().isEmpty() || line.nodes().contains(node)) && seen.add(node)) {
                    boolean here = i == 0 && node.equals(environment.get("SLURMD_NODENAME"));
                    copies.add(here ? new NodeCopy.Here(node, its) : new NodeCopy.There(node, its));
                }
            }
        }
        boolean elsewhere = copies.stream().anyMatch(NodeCopy.There.class::isInstance);
        if (elsewhere && environment.getOrDefault("BERTH_STEP_SECRET", "").isEmpty()) {
            throw new Impossible(
                    "a job of several nodes takes files where its script runs on the first alone,"
                            + " and it had its nodes from the start");
        }
    }

    private static List<String> nodes(Map<String, String> job) throws Impossible {
        return job.getOrDefault("BERTH_STEP_NODES", "").isEmpty()
                ? List.of(job.getOrDefault("SLURMD_NODENAME", "?"))
                : StepPlan.held(job).stream().map(Held::name).toList();
    }

    /// Hands the bytes to all nodes, as the slowest takes them.
    ///
    /// @return whether there were as many as there should be
    private boolean pass(InputStream from) throws IOException {
        var chunk = new byte[CHUNK_BYTES];
        long left = file.bytes();
        while (left > 0 && copies.stream().anyMatch(NodeCopy::takes)) {
            int read = from.read(chunk, 0, (int) Math.min(left, CHUNK_BYTES));
            if (read < 0) {
                return false;
            }
            left -= read;
            for (NodeCopy copy : copies) {
                copy.write(chunk, read);
            }
        }
        return true;
    }
}
