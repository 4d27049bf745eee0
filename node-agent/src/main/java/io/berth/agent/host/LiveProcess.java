package io.berth.agent.host;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A process by its number and the time at which it started, in clock ticks since boot: together
/// they never name another process of the same boot.
public record LiveProcess(long pid, long startTime) {

    /// The two numbers that a shim or a task wrote of itself.
    public static LiveProcess parse(String text) {
        String[] words = text.strip().split(" ");
        return new LiveProcess(Long.parseLong(words[0]), Long.parseLong(words[1]));
    }

    /// Whether it still runs; a zombie does not.
    public boolean alive() {
        return stat(pid)
                .filter(stat -> stat.startTime() == startTime && stat.state() != 'Z')
                .isPresent();
    }

    /// Milliseconds since boot, suspended time included.
    public static long uptimeMillis() {
        try {
            String seconds = Files.readString(Path.of("/proc/uptime")).split(" ", 2)[0];
            return Math.round(Double.parseDouble(seconds) * 1000);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read the time since boot", e);
        }
    }

    /// What the kernel says of a process, if it is there.
    public static Optional<Stat> stat(long pid) {
        String text;
        try {
            text = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), ISO_8859_1);
        } catch (IOException e) {
            return Optional.empty();
        }
        // The name, in parentheses, may hold anything; what follows is plain.
        String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
        return Optional.of(
                new Stat(
                        pid,
                        fields[0].charAt(0),
                        Long.parseLong(fields[1]),
                        Long.parseLong(fields[3]),
                        Long.parseLong(fields[19]),
                        ticks(fields),
                        !fields[23].equals("0") && fields[47].equals(fields[48])));
    }

    /// In user and system mode, of it and of those whom it waited for.
    private static long ticks(String[] fields) {
        long ticks = 0;
        for (int field = 11; field <= 14; field++) {
            ticks += Long.parseLong(fields[field]);
        }
        return ticks;
    }

    /// The most memory that it has had resident, in KiB; 0 if it is not there any more. Source:
    /// proc_pid_status(5), VmHWM.
    public static long peakKib(long pid) {
        try {
            return status(pid)
                    .filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .sum();
        } catch (IOException e) {
            return 0;
        }
    }

    /// What the kernel says of it, line by line. A process may have any bytes for a name.
    private static Stream<String> status(long pid) throws IOException {
        Path status = Path.of("/proc", Long.toString(pid), "status");
        return Files.readAllLines(status, ISO_8859_1).stream();
    }

    /// All that run on the host now, without zombies.
    public static List<Stat> all() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            return all.map(path -> path.getFileName().toString())
                    .filter(name -> name.chars().allMatch(Character::isDigit))
                    .map(name -> stat(Long.parseLong(name)))
                    .flatMap(Optional::stream)
                    .filter(process -> process.state() != 'Z')
                    .toList();
        }
    }

    /// Whether it is there no more, or stopped.
    public static boolean stopped(long pid) {
        return stat(pid).map(stat -> "TtZX".indexOf(stat.state()) >= 0).orElse(true);
    }

    /// Whether it waits in the kernel for what no signal but KILL ends. Source: proc_pid_stat(5),
    /// state D.
    public static boolean waitsInKernel(long pid) {
        return stat(pid).map(stat -> stat.state() == 'D').orElse(false);
    }

    /// Whether a process handles a signal itself.
    public static boolean handles(long pid, int signal) {
        return (signals(pid, "SigCgt:") >>> (signal - 1) & 1) != 0;
    }

    /// Whether a process ignores any signal but the real-time ones.
    public static boolean ignoresSignals(long pid) {
        return (signals(pid, "SigIgn:") & 0x7fffffffL) != 0;
    }

    /// A bit for each signal, the lowest for the first. Source: proc_pid_status(5).
    private static long signals(long pid, String label) {
        try {
            return status(pid)
                    .filter(line -> line.startsWith(label))
                    .mapToLong(line ->
                            Long.parseUnsignedLong(line.substring(label.length()).strip(), 16))
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }

    /// A line of /proc/pid/stat. Source: proc_pid_stat(5).
    ///
    /// @param ticks CPU time of it, and of its descendants that have ended and were waited for, in
    ///   hundredths of a second
    /// @param bare whether its program was given no variables at all; false where it has none yet:
    ///   while the kernel puts a new program in its place, it tells of no code either
    public record Stat(
            long pid,
            char state,
            long parent,
            long session,
            long startTime,
            long ticks,
            boolean bare) {}
}
