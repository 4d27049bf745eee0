package io.berth.cli;

import io.berth.cli.CommandRun.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The part of the page on Slurm's commands that is about those beside `sbatch`, `srun` and
/// `salloc`: their options by the tables that they read, and their verbs as they answer them.
final class OtherCommandsPage {

    private static final String DATA =
            "Slurm's fields as far as Berth knows them; `berth` in each item is Berth's own view";
    private static final String OWN_DATA = "in Berth's own words";
    private static final String SOME_DATA =
            "Slurm's fields as far as Berth knows them; licenses in Berth's own words";

    /// How an option differs that is taken, by command and name.
    private static final Map<String, String> DIFFERENT =
            Map.ofEntries(
                    Map.entry("squeue json", DATA),
                    Map.entry("squeue yaml", DATA),
                    Map.entry("sinfo json", DATA),
                    Map.entry("sinfo yaml", DATA),
                    Map.entry("sacct json", DATA),
                    Map.entry("sacct yaml", DATA),
                    Map.entry("scontrol json", SOME_DATA),
                    Map.entry("scontrol yaml", SOME_DATA),
                    Map.entry("sdiag json", OWN_DATA),
                    Map.entry("sdiag yaml", OWN_DATA),
                    Map.entry("squeue start", "each task of an array has a line of its own"),
                    Map.entry(
                            "sshare long",
                            "without GrpTRESMins and TRESRunMins, which `berth share budget` tells"),
                    Map.entry(
                            "sacct state",
                            "jobs that waited, ran or ended in that time; of other states those that they are in now"),
                    Map.entry("sacct format", "what the books do not know is empty"),
                    Map.entry(
                            "strigger program",
                            "it runs as a job of one's own, on a node and not on the controller"),
                    Map.entry(
                            "strigger fail",
                            "there is no state FAIL: the node's health program, prolog or epilog has closed it"),
                    Map.entry("strigger jobid", "with --fini and --time"),
                    Map.entry("strigger user", "by name"),
                    Map.entry(
                            "scontrol listpids",
                            "processes whose environment the caller may read: his own, root all"),
                    Map.entry(
                            "scontrol token",
                            "a new one for who may read the mesh's key, for another the one that he has"),
                    Map.entry("scontrol create", "reservations alone"),
                    Map.entry("scontrol write", "batch_script alone"),
                    Map.entry("scontrol delete", "reservations alone"),
                    Map.entry("scontrol show", "the kinds below"),
                    Map.entry(
                            "scontrol update",
                            "of jobs, nodes, partitions and reservations what [commands](commands.md) names"),
                    Map.entry("scontrol show config", "what is set, and what Berth does anyway"));

    /// How the commands say that they do not know a verb or a report, and what to show.
    private static final List<String> NO_VERB =
            List.of(
                    "invalid keyword: ",
                    "is none of add, modify, delete and show",
                    "which report?");

    private static final List<String> NO_KIND = List.of("invalid entity:", "No valid entity");

    private OtherCommandsPage() {}

    static String text() {
        var text = new StringBuilder();
        for (String command : SlurmCommands.OPTIONS.keySet()) {
            text.append("\n## `").append(command).append("`\n");
            switch (command) {
                case "scontrol" -> {
                    verbs(text, command, "", SlurmCommands.SCONTROL_VERBS);
                    verbs(text, command, "show ", SlurmCommands.SCONTROL_SHOW);
                }
                case "sacctmgr" -> {
                    verbs(text, command, "", SlurmCommands.SACCTMGR_VERBS);
                    verbs(text, command, "show ", SlurmCommands.SACCTMGR_SHOW);
                }
                case "sreport" -> verbs(text, command, "", SlurmCommands.SREPORTS);
                default -> {}
            }
            options(text, command);
        }
        return text.toString();
    }

    private static List<CliOption> table(String command) {
        return Objects.requireNonNull(Main.command(command), command).options();
    }

    /// The options of Slurm's command that ours does not know.
    static List<String> unknown(String command) {
        List<String> known = table(command).stream().map(CliOption::longName).toList();
        return Objects.requireNonNull(SlurmCommands.OPTIONS.get(command)).stream()
                .filter(it -> !known.contains(it))
                .toList();
    }

    private static void options(StringBuilder text, String command) {
        List<String> slurms = Objects.requireNonNull(SlurmCommands.OPTIONS.get(command));
        text.append("\n| option | variable | Berth |\n|---|---|---|\n");
        for (CliOption option : table(command)) {
            String name = option.longName();
            String letter = option.letter() == 0 ? "" : "-" + option.letter() + ", ";
            String variable = option.variable().isEmpty() ? "" : "`" + option.variable() + "`";
            String different = DIFFERENT.get(command + " " + name);
            String treatment =
                    !slurms.contains(name)
                            ? "Berth's own: " + option.meaning()
                            : different != null
                                    ? "different: " + different
                                    : treatment(option.meaning());
            text.append(
                    "| `%s--%s` | %s | %s |\n"
                            .formatted(letter, name, variable, treatment.replace("|", "\\|")));
        }
        for (String name : unknown(command)) {
            text.append("| `--%s` |  | refused |\n".formatted(name));
        }
    }

    /// As its help says it.
    private static String treatment(String meaning) {
        return meaning.startsWith("nothing")
                ? "ignored" + meaning.substring(meaning.indexOf(':'))
                : meaning.startsWith("refused: ") ? meaning : "same: " + meaning;
    }

    /// Verbs are not in a table: each is tried, at a mesh that knows nothing.
    private static void verbs(
            StringBuilder text, String command, String before, List<String> verbs) {
        text.append("\n| `%s %s…` | Berth |\n|---|---|\n".formatted(command, before));
        try (var mesh = new FakeMesh()) {
            mesh.on("GET", "/v1/configuration", "{\"revision\":1,\"document\":{}}");
            for (String verb : verbs) {
                var words = new ArrayList<>(List.of(command));
                words.addAll(List.of((before + verb).split(" ")));
                text.append(
                        "| `%s` | %s |\n"
                                .formatted(
                                        verb,
                                        treatment(
                                                command + " " + before + verb,
                                                before.isEmpty() ? NO_VERB : NO_KIND,
                                                new CommandRun(mesh).run(words))));
            }
        }
    }

    private static String treatment(String verb, List<String> unknownIs, Outcome outcome) {
        String said = outcome.err();
        String different = DIFFERENT.get(verb);
        int why = said.indexOf("is not supported");
        if (why >= 0) {
            return "refused" + said.substring(why + "is not supported".length()).strip();
        }
        boolean unknown = unknownIs.stream().anyMatch(said::contains);
        return unknown ? "refused" : different != null ? "different: " + different : "same";
    }
}
