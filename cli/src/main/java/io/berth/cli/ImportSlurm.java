package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.slurm.SlurmConf;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
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
        return "import slurm slurm.conf [topology.conf gres.conf accounts.cfg]: a cluster file of Slurm's";
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
        var files = new ArrayList<SlurmConf>();
        for (String name : operands.subList(1, operands.size())) {
            String text = new String(terminal.read("import", name), StandardCharsets.UTF_8);
            files.add(SlurmConf.parse(name, text));
        }
        var cluster = new SlurmCluster();
        files.forEach(cluster::take);
        write(terminal, words.value("output"), cluster.yaml());
        report(terminal.err(), cluster.leftOut());
        return 0;
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
