package io.berth.core.preemption;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Who gives way for whom, as `preemption-cases.txt` tells it.
final class PreemptionCasesTest {

    private static final Path CASES = Path.of("src/test/resources/preemption-cases.txt");

    /// @param lines with their numbers in the file, by which failures name them
    record Case(String title, List<String> lines, int first) {
        @Override
        public String toString() {
            return title;
        }
    }

    static List<Case> cases() throws IOException {
        var cases = new ArrayList<Case>();
        List<String> lines = Files.readAllLines(CASES);
        for (int number = 0; number < lines.size(); number++) {
            if (lines.get(number).startsWith("== ")) {
                cases.add(new Case(lines.get(number).substring(3), new ArrayList<>(), number + 1));
            } else if (!cases.isEmpty()) {
                cases.getLast().lines().add(lines.get(number));
            }
        }
        return cases;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void the_jobs_stand_as_the_case_says(Case it) {
        var cell = new ScriptedCell();
        int checks = 0;
        for (int number = 0; number < it.lines().size(); number++) {
            String line = it.lines().get(number).strip();
            String said = said(cell, line);
            if (said != null) {
                checks++;
                assertThat(said)
                        .as("line %d", it.first() + number + 1)
                        .isEqualTo(line.substring(line.indexOf('=') + 1).strip());
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                cell.take(line);
            }
        }
        assertThat(checks).isPositive();
    }

    /// What the cell says to a line of expectation; null to another line.
    private static @Nullable String said(ScriptedCell cell, String line) {
        if (line.startsWith("=")) {
            return cell.picture();
        }
        if (line.startsWith("?")) {
            return cell.why(job(line));
        }
        if (line.startsWith("$")) {
            return cell.lost(job(line));
        }
        return line.startsWith("!") ? cell.left(job(line)) : null;
    }

    private static long job(String line) {
        return Long.parseLong(line.substring(1, line.indexOf('=')).strip());
    }
}
