package io.berth.cli;

import io.berth.cli.CliOption.Words;
import io.berth.slurm.OptionName;
import io.berth.slurm.OptionName.Argument;
import io.berth.slurm.SbatchOption;
import io.berth.slurm.SrunOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// `berth completion SHELL`: a script by which a shell completes the commands' options, made of the
/// same tables that the commands read.
final class Completion implements Command {

    private static final List<CliOption> OPTIONS =
            List.of(
                    CliOption.flag("help", 'h', "this text"),
                    CliOption.flag("version", 'V', "Berth's version"));

    /// Of the `berth` script itself.
    private static final List<String> OF_BERTH =
            List.of("up", "down", "status", "demo", "test", "install-links", "node", "sim");

    /// Commands that are Berth's alone have no name of their own.
    private static final List<String> ONLY_OF_BERTH =
            List.of(
                    "share",
                    "apply",
                    "import",
                    "acls",
                    "why",
                    "logs",
                    "token",
                    "console",
                    "completion");

    @Override
    public String synopsis() {
        return "completion bash|zsh|fish: a script for the shell, by which it completes options";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        String shell = words.operands().isEmpty() ? "" : words.operands().getFirst();
        terminal.out()
                .print(
                        switch (shell) {
                            case "bash" -> bash(tables());
                            case "zsh" -> zsh(tables());
                            case "fish" -> fish(tables());
                            default ->
                                    throw CommandFailure.error(
                                            "completion", "for which shell? bash, zsh or fish");
                        });
        return 0;
    }

    /// The options that each command understands.
    static Map<String, List<OptionName>> tables() {
        var tables = new LinkedHashMap<String, List<OptionName>>();
        tables.put(
                "sbatch",
                SbatchOption.TABLE.stream()
                        .filter(it -> !(it.treatment() instanceof SbatchOption.Treatment.Refused))
                        .map(OptionName.class::cast)
                        .toList());
        tables.put("srun", understood(SrunOption.TABLE));
        tables.put("salloc", understood(SrunOption.SALLOC));
        for (String name : Main.names()) {
            Command command = Main.command(name);
            if (command != null) {
                tables.put(name, new ArrayList<>(command.options()));
            }
        }
        return tables;
    }

    private static List<OptionName> understood(List<SrunOption> table) {
        return table.stream().filter(Completion::understood).map(OptionName.class::cast).toList();
    }

    private static boolean understood(SrunOption option) {
        return switch (option.meaning()) {
            case SrunOption.Meaning.OfJob job ->
                    !(job.option().treatment() instanceof SbatchOption.Treatment.Refused);
            case SrunOption.Meaning.Refused _ -> false;
            case SrunOption.Meaning.OfStep _,
                    SrunOption.Meaning.Own _,
                    SrunOption.Meaning.Ignored _ ->
                    true;
        };
    }

    private static List<String> names(Map<String, List<OptionName>> tables) {
        return tables.keySet().stream().filter(it -> !ONLY_OF_BERTH.contains(it)).toList();
    }

    private static String words(Map<String, List<OptionName>> tables) {
        var words = new ArrayList<>(OF_BERTH);
        words.addAll(tables.keySet());
        return String.join(" ", words);
    }

    private static String bash(Map<String, List<OptionName>> tables) {
        var text =
                new StringBuilder(
                        "# bash completion for Berth: eval \"$(berth completion bash)\"\n");
        text.append("_berth_options() {\n    case $1 in\n");
        tables.forEach((command, options) -> {
            text.append("    ").append(command).append(") echo '");
            for (OptionName option : options) {
                text.append("--").append(option.longName());
                text.append(option.argument() == Argument.REQUIRED ? "= " : " ");
            }
            text.append("' ;;\n");
        });
        return text.append(
                        """
                            esac
                        }

                        _berth() {
                            local command=${COMP_WORDS[0]##*/} word=${COMP_WORDS[COMP_CWORD]}
                            if [ "$command" = berth ]; then
                                if [ "$COMP_CWORD" = 1 ]; then
                                    COMPREPLY=($(compgen -W '%s' -- "$word"))
                                    return
                                fi
                                command=${COMP_WORDS[1]}
                            fi
                            case $word in
                            -*)
                                COMPREPLY=($(compgen -W "$(_berth_options "$command")" -- "$word"))
                                case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac
                                ;;
                            esac
                        }
                        complete -o bashdefault -o default -F _berth berth %s
                        """
                                .formatted(words(tables), String.join(" ", names(tables))))
                .toString();
    }

    private static String zsh(Map<String, List<OptionName>> tables) {
        var text =
                new StringBuilder("#compdef berth " + String.join(" ", names(tables)) + "\n")
                        .append("# zsh completion for Berth: source <(berth completion zsh)\n")
                        .append("_berth_options() {\n    case $1 in\n");
        tables.forEach((command, options) -> {
            text.append("    ").append(command).append(") _arguments");
            for (OptionName option : options) {
                text.append(" \\\n        ").append(zsh(option));
            }
            text.append(" \\\n        '*:file:_files' ;;\n");
        });
        return text.append(
                        """
                            esac
                        }

                        _berth() {
                            local command=${words[1]:t}
                            if [[ $command == berth ]]; then
                                if (( CURRENT == 2 )); then
                                    compadd -- %s
                                    return
                                fi
                                command=${words[2]}
                                shift words
                                (( CURRENT-- ))
                            fi
                            _berth_options $command
                        }
                        compdef _berth berth %s
                        """
                                .formatted(words(tables), String.join(" ", names(tables))))
                .toString();
    }

    private static String zsh(OptionName option) {
        String meaning =
                quoted(meaning(option)).replace("[", "(").replace("]", ")").replace(":", ";");
        String value = option.argument() == Argument.NONE ? "" : ":value:_files";
        String equals =
                switch (option.argument()) {
                    case NONE -> "";
                    case OPTIONAL -> "=-";
                    case REQUIRED -> "=";
                };
        return "'--" + option.longName() + equals + "[" + meaning + "]" + value + "'";
    }

    private static String fish(Map<String, List<OptionName>> tables) {
        var text =
                new StringBuilder("# fish completion for Berth: berth completion fish | source\n");
        text.append("complete -c berth -n __fish_use_subcommand -f -a '")
                .append(words(tables))
                .append("'\n");
        tables.forEach((command, options) -> {
            for (OptionName option : options) {
                if (!ONLY_OF_BERTH.contains(command)) {
                    text.append("complete -c ").append(command).append(fish(option));
                }
                text.append("complete -c berth -n '__fish_seen_subcommand_from ")
                        .append(command)
                        .append("'")
                        .append(fish(option));
            }
        });
        return text.toString();
    }

    private static String fish(OptionName option) {
        return " -l "
                + option.longName()
                + (option.letter() == 0 ? "" : " -s " + option.letter())
                + (option.argument() == Argument.REQUIRED ? " -r" : "")
                + (meaning(option).isEmpty() ? "" : " -d '" + quoted(meaning(option)) + "'")
                + "\n";
    }

    private static String meaning(OptionName option) {
        return option instanceof CliOption cli
                ? cli.meaning()
                : OptionMeanings.of(option.longName());
    }

    /// As it stands between single quotes in any of the shells.
    private static String quoted(String text) {
        return text.replace("'", "’").replace("\\", "");
    }
}
