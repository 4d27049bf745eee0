package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.slurm.SlurmConf;
import io.berth.slurm.SlurmConf.Line;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `berth import slurm`: a cluster file made of Slurm's configuration, and what of that it could
/// not take over.
final class ImportSlurm implements Command {

    private static final List<CliOption> OPTIONS =
            List.of(
                    flag("help", 'h', "this text"),
                    valued("output", 'o', "where the cluster file goes, else to standard output"),
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "import slurm slurm.conf [topology.conf|topology.yaml gres.conf accounts.cfg]: a cluster file of Slurm's";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        List<String> operands = words.operands();
        if (operands.size() < 2 || !operands.getFirst().equals("slurm")) {
            throw CommandFailure.error("import", "it reads: slurm FILE...");
        }
        var cluster = new SlurmCluster();
        for (String name : operands.subList(1, operands.size())) {
            if (name.matches(".*\\.ya?ml")) {
                cluster.takeTopology(name, text(terminal, name));
            } else {
                take(terminal, name, cluster, new ArrayDeque<>());
            }
        }
        write(terminal, words.value("output"), cluster.yaml());
        report(terminal.err(), cluster.leftOut());
        return 0;
    }

    private static String text(Terminal terminal, String name) throws CommandFailure {
        return new String(terminal.read("import", name), StandardCharsets.UTF_8);
    }

    /// Takes a file, and where it says so another that is included, by its name beside it.
    ///
    /// @param within the files that include it
    private static void take(
            Terminal terminal, String name, SlurmCluster cluster, Deque<String> within)
            throws CommandFailure {
        SlurmConf file = SlurmConf.parse(name, text(terminal, name));
        within.push(name);
        for (Line line : file.lines()) {
            if (line.key().equals("include")) {
                include(terminal, file.name(), line, cluster, within);
            } else {
                cluster.take(new SlurmConf(name, List.of(line)));
            }
        }
        within.pop();
    }

    private static void include(
            Terminal terminal, String by, Line line, SlurmCluster cluster, Deque<String> within)
            throws CommandFailure {
        String[] words = line.text().split("\\s+", 2);
        Path included = Path.of(by).resolveSibling(words.length > 1 ? words[1] : "").normalize();
        String place = by + ":" + line.number() + ": " + line.text() + ": ";
        if (within.contains(included.toString())) {
            cluster.leaveOut(place + "it is being read already");
        } else if (!Files.isRegularFile(terminal.directory().resolve(included))) {
            cluster.leaveOut(place + "there is no file " + included);
        } else {
            take(terminal, included.toString(), cluster, within);
        }
    }

    private static void write(Terminal terminal, @Nullable String output, String yaml)
            throws CommandFailure {
        if (output == null) {
            terminal.out().print(yaml);
            return;
        }
        try {
            Files.writeString(terminal.directory().resolve(output), yaml);
        } catch (IOException e) {
            throw CommandFailure.error("import", "cannot write " + output + ": " + e.getMessage());
        }
    }

    private static void report(PrintStream err, List<String> leftOut) {
        if (leftOut.isEmpty()) {
            err.print("Everything was carried over.\n");
            return;
        }
        err.print("Not carried over:\n");
        leftOut.forEach(it -> err.print("  " + it + "\n"));
    }
}
