package io.berth.slurm;

import io.berth.contracts.WarningSignal;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// Signals by name and number, and what `--signal` says of them.
public final class SignalText {

    /// Linux's names, by number from 1.
    private static final List<String> NAMES =
            List.of(
                    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1",
                    "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP",
                    "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO",
                    "PWR", "SYS");

    /// The kernel's number of KILL.
    public static final int KILL = 9;

    private static final int MAX_NUMBER = 64;
    private static final int MAX_SECONDS = 65_535;

    private SignalText() {}

    /// The kernel's number of `USR1`, `SIGUSR1`, `usr1` or `10`; empty if it is no signal.
    public static OptionalInt number(String text) {
        OptionalLong plain = Counts.plain(text);
        if (plain.isPresent()) {
            long number = plain.getAsLong();
            return number >= 1 && number <= MAX_NUMBER
                    ? OptionalInt.of((int) number)
                    : OptionalInt.empty();
        }
        String upper = text.toUpperCase(Locale.ROOT);
        int index = NAMES.indexOf(upper.startsWith("SIG") ? upper.substring(3) : upper);
        return index < 0 ? OptionalInt.empty() : OptionalInt.of(index + 1);
    }

    /// The name without `SIG`, or the number of a signal without a name.
    public static String name(int number) {
        return number <= NAMES.size() ? NAMES.get(number - 1) : Integer.toString(number);
    }

    /// What `[B:]USR1[@seconds]` asks for.
    ///
    /// @throws InvalidOption if the text is none, or has an `R` before its `:`
    public static WarningSignal warning(String text) throws InvalidOption {
        int colon = text.indexOf(':');
        String flags = colon < 0 ? "" : text.substring(0, colon).toUpperCase(Locale.ROOT);
        if (flags.matches("[BR]*R[BR]*")) {
            throw InvalidOption.refused(
                    "--signal=R: is not supported yet: it lets a job overlap a reservation with a MaxStartDelay, and reservations have none");
        }
        boolean batch = flags.matches("B+");
        String rest = batch ? text.substring(colon + 1) : text;
        int at = rest.indexOf('@');
        OptionalInt number = number(at < 0 ? rest : rest.substring(0, at));
        OptionalLong seconds =
                at < 0
                        ? OptionalLong.of(WarningSignal.DEFAULT_SECONDS)
                        : Counts.plain(rest.substring(at + 1));
        if (number.isEmpty() || seconds.isEmpty() || seconds.getAsLong() > MAX_SECONDS) {
            throw InvalidOption.malformed("Invalid --signal specification");
        }
        return new WarningSignal(number.getAsInt(), seconds.getAsLong(), batch);
    }
}
