package io.berth.cli;

import io.berth.slurm.BatchScript;
import io.berth.slurm.GetOpt.Given;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.JobSubmission;
import io.berth.slurm.Sbatch;
import io.berth.slurm.SbatchLine;
import io.berth.slurm.SbatchOption;
import io.berth.slurm.SbatchRequest;
import io.berth.slurm.SbatchSetting;
import io.berth.slurm.SrunCommandLine;
import io.berth.slurm.SrunOption.Setting;
import io.berth.slurm.SubmittedFrom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The job of a command that stays with it: on one node unless more are asked for, started once,
/// with no output file of its own. It is heterogeneous where the command line has several parts.
///
/// @param script what the job runs
/// @param words its arguments, handed over one by one
/// @param called the user's program and its arguments; empty of none
record InteractiveJob(String name, String script, List<String> words, List<String> called) {

    /// Tells what is wrong with the options, or odd, before anything is asked of the mesh.
    ///
    /// @param command that tells it
    JobSubmission check(
            Terminal terminal, String command, MeshClient client, List<SrunCommandLine> parts)
            throws InvalidOption {
        SbatchRequest request = request(terminal, client, parts, Map.of());
        if (!parts.getFirst().has(Setting.QUIET)) {
            for (String warning : request.warnings()) {
                terminal.err().print(command + ": " + warning + "\n");
            }
            terminal.err().flush();
        }
        return request.submission();
    }

    /// The submission, with the options of the command line.
    ///
    /// @param parts of the command line, one for each component
    /// @param variables that the job has beside the caller's, whatever is exported of those
    JobSubmission submission(
            Terminal terminal,
            MeshClient client,
            List<SrunCommandLine> parts,
            Map<String, String> variables)
            throws InvalidOption {
        return request(terminal, client, parts, variables).submission();
    }

    private SbatchRequest request(
            Terminal terminal,
            MeshClient client,
            List<SrunCommandLine> parts,
            Map<String, String> variables)
            throws InvalidOption {
        String user = client.token().submitsFor(terminal);
        return Sbatch.request(
                options(parts),
                inherited(terminal),
                BatchScript.of(script),
                words,
                new SubmittedFrom(
                        name,
                        SubmittedFrom.line(called),
                        terminal.directory().toString(),
                        SbatchCommand.host(terminal),
                        user,
                        () -> terminal.clock().instant().atZone(terminal.zone().get()),
                        SubmittedFrom::none,
                        variables));
    }

    private static SbatchLine options(List<SrunCommandLine> parts) {
        var components = new ArrayList<List<Given<SbatchOption>>>();
        for (SrunCommandLine part : parts) {
            var options = new ArrayList<>(part.job().options());
            if (SbatchLine.of(options).given(SbatchSetting.NODES) == null) {
                options.add(new Given<>(option("nodes"), "1"));
            }
            if (components.isEmpty()) {
                options.add(new Given<>(option("output"), "/dev/null"));
                options.add(new Given<>(option("no-requeue"), null));
            }
            components.add(options);
        }
        return new SbatchLine(components, List.of());
    }

    private static SbatchOption option(String name) {
        return SbatchOption.TABLE.stream()
                .filter(it -> it.longName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /// The caller's environment without the token, other sessions and options of `sbatch`.
    private static Map<String, String> inherited(Terminal terminal) {
        var environment = new TreeMap<>(terminal.environment());
        environment.remove("BERTH_TOKEN");
        environment.remove(Salloc.ALLOCATION);
        environment.keySet().removeIf(it -> it.startsWith("SBATCH_"));
        return environment;
    }
}
