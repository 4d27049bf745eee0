package io.berth.simulator;

import io.berth.simulator.trace.BadTrace;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.List;

/// The entry of `berth sim`: the first word names what to simulate.
public final class Main {

    private static final String USAGE =
            """
            usage: berth sim COMMAND [OPTION...]

              run     jobs of a trace in virtual time, decided by the live engine: how long do they wait?
              replay  the rounds of a live cell again ('berth replay'): do they decide the same?
              pack    fill a cluster one arrival at a time: what do packing policies leave unallocated?

            berth sim COMMAND --help says more. See docs/results.md.
            """;

    private Main() {}

    public static void main(String[] arguments) {
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        var err = new PrintStream(System.err, false, StandardCharsets.UTF_8);
        int exitCode = run(out, err, List.of(arguments));
        out.flush();
        err.flush();
        System.exit(exitCode);
    }

    /// @return the exit code
    static int run(PrintStream out, PrintStream err, List<String> words) {
        try {
            dispatch(out, err, words);
            return 0;
        } catch (SimFailure | BadTrace e) {
            String voice = !words.isEmpty() && words.getFirst().equals("replay") ? "replay" : "sim";
            err.print("berth " + voice + ": error: " + e.getMessage() + "\n");
            return 1;
        }
    }

    private static void dispatch(PrintStream out, PrintStream err, List<String> words)
            throws SimFailure, BadTrace {
        String command = words.isEmpty() ? "help" : words.getFirst();
        List<String> rest = words.isEmpty() ? words : words.subList(1, words.size());
        switch (command) {
            case "run" -> new RunCommand(out, err).run(rest);
            case "pack" -> new PackCommand(out, err).run(rest);
            case "replay" ->
                    new ReplayCommand(
                                    out,
                                    err,
                                    name -> System.getenv().getOrDefault(name, ""),
                                    ZoneId.systemDefault())
                            .run(rest);
            case "help", "--help", "-h" -> out.print(USAGE);
            default ->
                    throw new SimFailure(
                            "'" + command + "' is no command; 'berth sim help' lists them");
        }
    }
}
