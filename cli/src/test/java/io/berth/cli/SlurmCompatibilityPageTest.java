package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// `docs/slurm-compatibility.md` is written from the tables of options; `-Dberth.write-docs=true`
/// writes it anew.
final class SlurmCompatibilityPageTest {

    private static final Path PAGE = Path.of("../docs/slurm-compatibility.md");

    private static final String HEAD =
            """
            # What Slurm's commands understand here

            [`sbatch`](#sbatch), [`srun`](#srun) and [`salloc`](#salloc), and
            [the others](#the-other-commands).

            ## `sbatch`

            Every option of Slurm 22.05's `sbatch`, and what Berth makes of it. An option that would
            change what runs is never silently dropped: it works, or the job is refused in one line
            that names it (`sbatch: error: --network is not supported yet`).

            Precedence is Slurm's: command line, then `SBATCH_*` variable, then `#SBATCH` line.
            `#SBATCH` lines count before the first command of the script, at column 1, with one `#`;
            ` # text` ends them; quotes are understood. `#PBS` lines are not read.

            `#BERTH --launch=batch|per-node` is Berth's own line, which Slurm takes for a comment:
            `batch` starts the script on the first node, as Slurm does; `per-node` starts it once on
            every node, with `SLURM_NODEID` telling them apart, as one replica of a training job each.
            `#BERTH --preempt=never|lower|always` says whose place the job takes
            ([preemption](preemption.md)); `always` is the operator's to give.
            `#BERTH --max-wait=TIME` ends a job as `DEADLINE` that has waited for its turn so long and
            has not run; the time is written as a time limit.
            `#BERTH --topology=LEVEL[@TIME]` keeps the nodes of a job in one domain of a level of the
            network ([levels](scheduling.md#levels)).

            `:` on the command line and a line `#SBATCH hetjob` part the components of a
            [heterogeneous job](commands.md#heterogeneous-jobs), also of `salloc` and `srun`. Where
            a job runs, `srun --het-group` and `:` name components of a step
            ([Steps](node-agent.md#steps)): the table of `srun` is that of one outside of jobs.

            This page is written by `SlurmCompatibilityPageTest` from the tables that the commands read.

            | option | variable | Berth |
            |---|---|---|
            """;

    private static final String OTHERS =
            """

            What the options of a step mean says [Steps](node-agent.md#steps).

            # The other commands

            Every option of Slurm 22.05's commands, and what it means here: what follows `same` is what
            it shows or does. What is ignored changes nothing, because it is so anyway; what is refused
            is named in one line, and nothing is done.
            """;

    private static String page() {
        var page = new StringBuilder(HEAD);
        for (SbatchOption option : SbatchOption.TABLE) {
            String variable = option.variable() == null ? "" : "`" + option.variable() + "`";
            page.append("| `" + option.names() + "` | " + variable + " | ")
                    .append(treatment(option))
                    .append(" |\n");
        }
        return page.append(section("srun", SrunOption.TABLE))
                .append(section("salloc", SrunOption.SALLOC))
                .append(OTHERS)
                .append(OtherCommandsPage.text())
                .toString();
    }

    /// What the command has beside the options of the job, and which of `sbatch` it has not.
    private static String section(String command, List<SrunOption> table) {
        var page = new StringBuilder();
        var names = table.stream().map(SrunOption::longName).collect(Collectors.toSet());
        String others =
                SbatchOption.TABLE.stream()
                        .map(SbatchOption::longName)
                        .filter(it -> !names.contains(it))
                        .map(it -> "`--" + it + "`")
                        .collect(Collectors.joining(", "));
        page.append(
                """

                ## `%s`

                The options of its job are those above, but for %s. Beside them it has:

                | option | Berth |
                |---|---|
                """
                        .formatted(command, others));
        for (SrunOption option : table) {
            String what =
                    switch (option.meaning()) {
                        case OfJob _ -> "";
                        case OfStep _ -> "the step's";
                        case Own _ -> "the command's";
                        case Meaning.Ignored _ -> "ignored: it is so anyway";
                        case Meaning.Refused it -> "refused" + it.instead();
                    };
            if (!what.isEmpty()) {
                String letter = option.letter() == 0 ? "" : "-" + option.letter() + ", ";
                page.append("| `%s--%s` | %s |\n".formatted(letter, option.longName(), what));
            }
        }
        return page.toString();
    }

    private static String treatment(SbatchOption option) {
        return switch (option.treatment()) {
            case Same _ -> "same";
            case Different different -> "different: " + different.how();
            case Ignored ignored -> "ignored: " + ignored.why();
            case Refused it -> it.instead().isEmpty() ? "refused" : "refused: " + it.instead();
        };
    }

    @Test
    void the_page_of_options_says_what_the_table_says() throws IOException {
        if (Boolean.getBoolean("berth.write-docs")) {
            Files.createDirectories(PAGE.getParent());
            Files.writeString(PAGE, page());
        }

        assertThat(PAGE).as("run this test once with -Dberth.write-docs=true").hasContent(page());
    }

    static Stream<Arguments> unknown() {
        return SlurmCommands.OPTIONS.entrySet().stream()
                .flatMap(it ->
                        OtherCommandsPage.unknown(it.getKey()).stream()
                                .map(option -> Arguments.of(it.getKey(), "--" + option)));
    }

    @ParameterizedTest
    @MethodSource("unknown")
    void what_the_page_says_is_refused_is_refused(String command, String option) {
        Outcome outcome = new CommandRun().run(command, option);

        assertThat(outcome.exitCode()).isNotZero();
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err()).startsWith(command + ": ").contains(option.substring(2));
    }

    @Test
    void no_two_options_share_a_name_or_a_letter() {
        assertThat(SbatchOption.TABLE).extracting(SbatchOption::longName).doesNotHaveDuplicates();
        assertThat(SbatchOption.TABLE)
                .extracting(SbatchOption::letter)
                .filteredOn(letter -> letter != 0)
                .doesNotHaveDuplicates();
    }
}
