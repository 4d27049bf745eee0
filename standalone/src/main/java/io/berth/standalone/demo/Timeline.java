package io.berth.standalone.demo;

import io.berth.standalone.demo.Entry.RunEntry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// A picture of which job held which GPU when: a row for each GPU, time from left to right.
///
/// @param gpus of the node
/// @param held the GPUs that each job held, by their numbers
record Timeline(int gpus, Map<Long, List<Integer>> held, Map<String, Character> pens) {

    private static final int WIDTH = 72;

    /// A job's run begins with its id and is drawn on with the pen of its user.
    String draw(List<Entry> entries) {
        long from = entries.stream().mapToLong(Entry::submittedAt).min().orElse(0);
        long to =
                entries.stream()
                        .flatMap(entry -> entry.runs().stream())
                        .mapToLong(RunEntry::freedAt)
                        .max()
                        .orElse(from + 1);
        char[][] rows = new char[gpus][WIDTH];
        for (char[] row : rows) {
            Arrays.fill(row, ' ');
        }
        for (Entry entry : entries) {
            for (RunEntry run : entry.runs()) {
                int begin = column(run.placedAt(), from, to);
                int end = Math.max(begin + 1, column(run.freedAt(), from, to));
                for (int gpu : held.getOrDefault(entry.id(), List.of())) {
                    draw(rows[gpu], begin, end, entry);
                }
            }
        }
        var text = new StringBuilder();
        for (int gpu = 0; gpu < gpus; gpu++) {
            text.append("  GPU ").append(gpu).append(" |").append(rows[gpu]).append("|\n");
        }
        return text.append("         0 s")
                .append(" ".repeat(WIDTH - 9))
                .append("%.1f s%n".formatted((to - from) / 1000.0))
                .toString();
    }

    private void draw(char[] row, int begin, int end, Entry entry) {
        Arrays.fill(row, begin, end, pens.getOrDefault(entry.user(), '?'));
        String id = Long.toString(entry.id());
        for (int at = 0; at < id.length() && begin + at < end; at++) {
            row[begin + at] = id.charAt(at);
        }
    }

    private static int column(long time, long from, long to) {
        return (int) ((time - from) * WIDTH / (to - from));
    }
}
