package io.berth.submit.feed;

import io.berth.submit.Refusal.InvalidRequest;
import io.berth.submit.Refused;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// A place in the job events of all cells: what stands below it has been told. Opaque to clients,
/// `<cell>:<offset>` with commas; the id of an event is the position after it.
///
/// @param next offset of the next event, by cell
public record FeedPosition(SortedMap<Integer, Long> next) {
    private static final Pattern TEXT =
            Pattern.compile("\\d{1,5}:\\d{1,18}(,\\d{1,5}:\\d{1,18}){0,999}");

    public FeedPosition {
        next = Collections.unmodifiableSortedMap(new TreeMap<>(next));
    }

    public static FeedPosition parse(String text) throws Refused {
        if (!TEXT.matcher(text).matches()) {
            throw new Refused(
                    new InvalidRequest("Last-Event-ID is none that this service gave as an id"));
        }
        var next = new TreeMap<Integer, Long>();
        for (String part : text.split(",")) {
            int colon = part.indexOf(':');
            next.put(
                    Integer.parseInt(part.substring(0, colon)),
                    Long.parseLong(part.substring(colon + 1)));
        }
        return new FeedPosition(next);
    }

    /// This position with a cell's next offset moved on; never back.
    FeedPosition with(int cell, long offset) {
        var moved = new TreeMap<>(next);
        moved.merge(cell, offset, Math::max);
        return new FeedPosition(moved);
    }

    /// Whether it is below one of these offsets. A cell that it does not know is new to it, and
    /// counts from its first event on.
    boolean isBelow(Map<Integer, Long> offsets) {
        return offsets.entrySet().stream().anyMatch(it -> at(it.getKey()) < it.getValue());
    }

    long at(int cell) {
        return next.getOrDefault(cell, 0L);
    }

    @Override
    public String toString() {
        return next.entrySet().stream()
                .map(it -> it.getKey() + ":" + it.getValue())
                .collect(Collectors.joining(","));
    }
}
