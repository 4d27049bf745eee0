package io.berth.slurm.session;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The program `stty`, on one terminal.
///
/// @param terminal what it has as its input
public record Stty(Redirect terminal) {

    /// How the terminal is set, for [#set]; empty if there is none.
    public String settings() {
        return run("-g");
    }

    /// Every key is the program's, and nothing is shown by itself.
    public void raw() {
        var unused = run("raw", "-echo");
    }

    /// Makes it what it was.
    public void set(String settings) {
        var unused = run(settings);
    }

    /// Rows and columns; empty if there is no terminal.
    public String size() {
        return run("size");
    }

    private String run(String... words) {
        var command = new ArrayList<>(List.of("stty"));
        command.addAll(List.of(words));
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectInput(terminal)
                            .redirectError(Redirect.DISCARD)
                            .start();
            var said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return process.waitFor() == 0 ? said.strip() : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
