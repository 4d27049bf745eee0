package io.berth.log.trace;

import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A span's place in a trace. Its text is that of [W3C Trace
/// Context](https://www.w3.org/TR/trace-context/): `00-<trace>-<span>-<flags>`.
///
/// @param traceId 32 lower-case hexadecimal digits, not all 0
/// @param spanId 16 lower-case hexadecimal digits, not all 0
/// @param sampled whether spans of the trace shall be kept
public record TraceContext(String traceId, String spanId, boolean sampled) {

    /// Where HTTP requests and records of the log carry it.
    public static final String HEADER = "traceparent";

    /// Where programs find it.
    public static final String VARIABLE = "TRACEPARENT";

    /// Versions after 00 may say more behind the flags.
    private static final Pattern TEXT =
            Pattern.compile(
                    "(?!ff)(?<version>[0-9a-f]{2})-(?!0{32})(?<trace>[0-9a-f]{32})-(?!0{16})(?<span>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?");

    /// What the text says; nothing if it is none, as the recommendation wants it.
    public static Optional<TraceContext> parse(@Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        Matcher found = TEXT.matcher(text);
        if (!found.matches()
                || (found.group("version").equals("00") && found.group("more") != null)) {
            return Optional.empty();
        }
        boolean sampled = (HexFormat.fromHexDigits(found.group("flags")) & 1) == 1;
        return Optional.of(new TraceContext(found.group("trace"), found.group("span"), sampled));
    }

    /// The first span of a new trace.
    public static TraceContext root() {
        return new TraceContext(digits() + digits(), digits(), true);
    }

    /// A new span of the same trace.
    public TraceContext child() {
        return new TraceContext(traceId, digits(), sampled);
    }

    @Override
    public String toString() {
        return "00-" + traceId + "-" + spanId + (sampled ? "-01" : "-00");
    }

    private static String digits() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE));
    }
}
