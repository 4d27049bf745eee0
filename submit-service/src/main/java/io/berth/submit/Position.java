package io.berth.submit;

import io.berth.submit.Refusal.InvalidRequest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A place in the log that an answer must have seen: what a client has written is below it. Opaque
/// to clients, `submissions:<cell>:<offset>`.
///
/// @param offset of the next record
public record Position(int cell, long offset) {
    private static final Pattern TEXT = Pattern.compile("submissions:(\\d{1,5}):(\\d{1,18})");

    public static Position parse(String text) throws Refused {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new Refused(
                    new InvalidRequest(
                            "Berth-Position "
                                    + Checks.quoted(text)
                                    + " is none that this service gave"));
        }
        return new Position(Integer.parseInt(matcher.group(1)), Long.parseLong(matcher.group(2)));
    }

    /// Just above a job's submission.
    public static Position after(Job job) {
        return new Position(job.cell(), job.submission() + 1);
    }

    @Override
    public String toString() {
        return "submissions:" + cell + ":" + offset;
    }
}
