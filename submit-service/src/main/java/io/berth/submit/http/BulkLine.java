package io.berth.submit.http;

import io.berth.submit.Refusal.InvalidRequest;
import io.berth.submit.Refused;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// One line of newline-delimited JSON that is not blank.
///
/// @param number counted from 1, blank lines included
record BulkLine(int number, byte[] json) {
    /// The most jobs of one request.
    static final int MAX_LINES = 10_000;

    /// The lines of a body.
    ///
    /// @throws Refused if there are none, or too many
    static List<BulkLine> of(byte[] body) throws Refused {
        var lines = new ArrayList<BulkLine>();
        int number = 0;
        for (int from = 0; from < body.length; ) {
            int to = from;
            while (to < body.length && body[to] != '\n') {
                to++;
            }
            number++;
            if (!blank(body, from, to)) {
                if (lines.size() == MAX_LINES) {
                    throw new Refused(
                            new InvalidRequest("more than " + MAX_LINES + " jobs in one request"));
                }
                lines.add(new BulkLine(number, Arrays.copyOfRange(body, from, to)));
            }
            from = to + 1;
        }
        if (lines.isEmpty()) {
            throw new Refused(new InvalidRequest("the body has no lines: each is one job as JSON"));
        }
        return lines;
    }

    private static boolean blank(byte[] body, int from, int to) {
        for (int i = from; i < to; i++) {
            if (body[i] != ' ' && body[i] != '\t' && body[i] != '\r') {
                return false;
            }
        }
        return true;
    }
}
