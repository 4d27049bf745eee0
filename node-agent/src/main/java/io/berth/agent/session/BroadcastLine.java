package io.berth.agent.session;

import io.berth.slurm.GetOpt;
import io.berth.slurm.GetOpt.Given;
import io.berth.slurm.HostList;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.OptionName;
import io.berth.slurm.session.FileTold;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The words after `sbcast` in a job.
///
/// @param source the file's name
/// @param destination its path on the nodes, from the root
/// @param handed what is known of the file if it comes on standard input; null if it is here
/// @param nodes of the job that take it; none is all
/// @param component of a heterogeneous job whose nodes they are; empty for all
record BroadcastLine(
        String source,
        String destination,
        @Nullable FileTold handed,
        boolean force,
        boolean preserve,
        boolean byNode,
        List<String> nodes,
        String component) {

    private record Option(String longName, char letter, Argument argument) implements OptionName {}

    /// Source: sbcast(1) of Slurm 22.05; the last four are what `srun --bcast` and the `sbcast` of
    /// a login host say.
    private static final List<Option> TABLE =
            List.of(
                    new Option("compress", 'C', OptionName.Argument.OPTIONAL),
                    new Option("fanout", 'F', OptionName.Argument.REQUIRED),
                    new Option("force", 'f', OptionName.Argument.NONE),
                    new Option("jobid", 'j', OptionName.Argument.REQUIRED),
                    new Option("preserve", 'p', OptionName.Argument.NONE),
                    new Option("size", 's', OptionName.Argument.REQUIRED),
                    new Option("timeout", 't', OptionName.Argument.REQUIRED),
                    new Option("verbose", 'v', OptionName.Argument.NONE),
                    new Option("by-node", '\0', OptionName.Argument.NONE),
                    new Option("caller", '\0', OptionName.Argument.REQUIRED),
                    new Option("component", '\0', OptionName.Argument.REQUIRED),
                    new Option("nodelist", '\0', OptionName.Argument.REQUIRED));

    /// @param directory to which a relative destination is so
    /// @param environment the job's, whose `SBCAST_FORCE` and `SBCAST_PRESERVE` count as the
    ///   options
    static BroadcastLine parse(
            List<String> words, String directory, Map<String, String> environment)
            throws InvalidOption {
        GetOpt<Option> line = GetOpt.anywhere(TABLE, words);
        List<String> files = line.operands();
        if (files.size() != 2) {
            throw InvalidOption.refused(
                    "Need two file names, have %d names".formatted(files.size()));
        }
        String job = environment.getOrDefault("SLURM_JOB_ID", "");
        String given = last(line, "jobid", job).replaceFirst("\\..*", "");
        if (job.isEmpty()) {
            throw InvalidOption.refused(
                    "Need a job id to run this command.  Run from within a Slurm job or use the"
                            + " --jobid option.");
        }
        if (!given.equals(job)) {
            throw InvalidOption.refused(
                    "--jobid=%s is another job than this, %s: name it on a login host"
                            .formatted(given, job));
        }
        String to = files.getLast();
        String handed = last(line, "caller", "");
        return new BroadcastLine(
                files.getFirst(),
                to.startsWith("/") ? to : directory + "/" + to,
                handed.isEmpty() ? null : told(handed),
                has(line, "force") || environment.containsKey("SBCAST_FORCE"),
                has(line, "preserve") || environment.containsKey("SBCAST_PRESERVE"),
                has(line, "by-node"),
                HostList.expand(last(line, "nodelist", "")),
                last(line, "component", ""));
    }

    private static FileTold told(String text) throws InvalidOption {
        return FileTold.parse(text)
                .orElseThrow(() -> InvalidOption.refused("--caller is for Berth's own commands"));
    }

    private static boolean has(GetOpt<Option> line, String name) {
        return line.options().stream().anyMatch(it -> it.option().longName().equals(name));
    }

    private static String last(GetOpt<Option> line, String name, String otherwise) {
        String value = otherwise;
        for (Given<Option> given : line.options()) {
            if (given.option().longName().equals(name)) {
                value = given.required();
            }
        }
        return value;
    }
}
