package io.berth.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Commands run in this process, at a time that only their own pauses move.
final class CommandRun {

    /// Fri Nov 20 10:01:06 2026, when the samples of a real Slurm were taken.
    static final long NOW = Instant.parse("2026-11-20T10:01:06Z").toEpochMilli();

    private static final String ADMIN =
            "e30.eyJpc3MiOiJiZXJ0aCIsInVwbiI6Im9wZXJhdG9yIiwiZ3JvdXBzIjpbImFkbWluIl19.x";

    private final Map<String, String> environment = new HashMap<>();
    private final List<Duration> pauses = new ArrayList<>();
    private Path directory = Path.of("/home/alice");
    private String input = "";
    private @Nullable OutputStream reader;
    private long now = NOW;
    private int lastPause = Integer.MAX_VALUE;
    private ZoneId zone = ZoneOffset.UTC;

    /// What a command did.
    record Outcome(int exitCode, String out, String err) {}

    CommandRun() {
        environment.put("BERTH_TOKEN", ADMIN);
    }

    CommandRun(FakeMesh mesh) {
        this();
        environment.put("BERTH_URL", mesh.url());
        environment.put("BERTH_ACCOUNTING_URL", mesh.url());
    }

    CommandRun with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    CommandRun without(String variable) {
        environment.remove(variable);
        return this;
    }

    CommandRun in(Path folder) {
        directory = folder;
        return this;
    }

    CommandRun input(String text) {
        input = text;
        return this;
    }

    /// Where the output goes instead of the outcome.
    CommandRun out(OutputStream to) {
        reader = to;
        return this;
    }

    /// At another time than [#NOW].
    CommandRun at(long millis) {
        now = millis;
        return this;
    }

    CommandRun zone(ZoneId named) {
        zone = named;
        return this;
    }

    List<Duration> pauses() {
        return pauses;
    }

    Outcome run(String... words) {
        return run(List.of(words));
    }

    Outcome run(List<String> words) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var terminal =
                new Terminal(
                        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                        new PrintStream(
                                reader == null ? out : reader, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        Map.copyOf(environment),
                        directory,
                        "alice",
                        new MovingClock(),
                        () -> zone,
                        this::pause);
        int exitCode = run(terminal, words);
        return new Outcome(
                exitCode,
                out.toString(StandardCharsets.UTF_8),
                err.toString(StandardCharsets.UTF_8));
    }

    private static int run(Terminal terminal, List<String> words) {
        try {
            return Main.run(terminal, words);
        } catch (Interrupted e) {
            return 130;
        }
    }

    /// The process was ended.
    private static final class Interrupted extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /// Ends the command in its pause of that number.
    CommandRun interrupted(int pause) {
        lastPause = pause;
        return this;
    }

    private void pause(Duration duration) {
        pauses.add(duration);
        if (pauses.size() == lastPause) {
            throw new Interrupted();
        }
        now += duration.toMillis();
    }

    private final class MovingClock extends Clock {

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId other) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(now);
        }
    }
}
