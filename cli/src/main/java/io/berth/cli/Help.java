package io.berth.cli;

import io.berth.slurm.OptionName;
import io.berth.slurm.OptionName.Argument;
import io.berth.slurm.SbatchOption;
import io.berth.slurm.SbatchOption.Treatment.Different;
import io.berth.slurm.SbatchOption.Treatment.Ignored;
import io.berth.slurm.SbatchOption.Treatment.Refused;
import io.berth.slurm.SbatchOption.Treatment.Same;
import io.berth.slurm.SrunOption;
import io.berth.slurm.SrunOption.Meaning;
import io.berth.slurm.SrunOption.Meaning.OfJob;
import io.berth.slurm.SrunOption.Meaning.OfStep;
import io.berth.slurm.SrunOption.Meaning.Own;
import java.util.List;

/// The texts of `--help` and `berth help`.
final class Help {

    private static final int NAME_WIDTH = 30;

    private static final String ELSEWHERE =
            "\nOther options of Slurm's, and what is different: docs/slurm-compatibility.md\n";

    private Help() {}

    static String of(Command command) {
        var text = new StringBuilder(head(command.synopsis()));
        for (CliOption option : command.options()) {
            text.append(line(option, option.meaning()));
        }
        return text.toString();
    }

    static String ofSbatch() {
        var text = new StringBuilder(head(SbatchCommand.SYNOPSIS));
        for (SbatchOption option : SbatchOption.TABLE) {
            switch (option.treatment()) {
                case Same _, Different _ ->
                        text.append(line(option, OptionMeanings.of(option.longName())));
                case Ignored _, Refused _ -> {}
            }
        }
        return text.append(ELSEWHERE).toString();
    }

    static String of(List<SrunOption> table, String synopsis) {
        var text = new StringBuilder(head(synopsis));
        for (SrunOption option : table) {
            switch (option.meaning()) {
                case OfJob ofJob when ofJob.option().treatment() instanceof Refused -> {}
                case OfJob ofJob when ofJob.option().treatment() instanceof Ignored -> {}
                case OfJob _, Own _ ->
                        text.append(line(option, OptionMeanings.of(option.longName())));
                case OfStep _ ->
                        text.append(line(option, OptionMeanings.ofStep(option.longName())));
                case Meaning.Ignored _, Meaning.Refused _ -> {}
            }
        }
        return text.append(ELSEWHERE).toString();
    }

    static String ofAll() {
        var text = new StringBuilder("usage: berth COMMAND [ARGUMENT...]\n\n");
        text.append("  ").append(SbatchCommand.SYNOPSIS).append('\n');
        text.append("  ").append(Srun.SYNOPSIS).append('\n');
        text.append("  ").append(Salloc.SYNOPSIS).append('\n');
        for (String name : Main.names()) {
            Command command = Main.command(name);
            if (command != null) {
                text.append("  ").append(command.synopsis()).append('\n');
            }
        }
        return text.append("\nberth COMMAND --help says more.\n").toString();
    }

    private static String head(String synopsis) {
        int colon = synopsis.lastIndexOf(": ");
        return "usage: "
                + synopsis.substring(0, colon)
                + "\n"
                + Character.toUpperCase(synopsis.charAt(colon + 2))
                + synopsis.substring(colon + 3)
                + ".\n\n";
    }

    private static String line(OptionName option, String meaning) {
        String name =
                (option.letter() == 0 ? "    " : "-" + option.letter() + ", ")
                        + "--"
                        + option.longName()
                        + (option.argument() == Argument.REQUIRED ? "=VALUE" : "")
                        + (option.argument() == Argument.OPTIONAL ? "[=VALUE]" : "");
        return ("  " + Layout.fit(name, Math.max(NAME_WIDTH, name.length()), false) + " " + meaning)
                        .stripTrailing()
                + "\n";
    }
}
