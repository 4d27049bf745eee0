package io.berth.slurm;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Slurm's texts for points in time, such as `now+1hour`, `16:00`, `tomorrow`, `01/20`,
/// `2030-01-01T12:00`, read at a certain time in a certain zone.
///
/// A time of day without a date is the next one that comes; a date without a time is its midnight.
///
/// Source: sbatch(1), `--begin`.
public final class SlurmDate {

    private static final Pattern RELATIVE = Pattern.compile("now\\s*([+-])\\s*(\\d{1,9})([a-z]*)");
    private static final Pattern SECONDS = Pattern.compile("uts(\\d{1,11})");
    private static final Pattern CLOCK =
            Pattern.compile("(\\d{1,2}):(\\d{2})(?::(\\d{2}))?\\s*(am|pm)?");
    private static final Pattern ISO = Pattern.compile("(\\d{4})-(\\d{1,2})-(\\d{1,2})");
    private static final Pattern AMERICAN =
            Pattern.compile("(\\d{1,2})([/.])(\\d{1,2})(?:\\2(\\d{2}|\\d{4}))?");
    private static final Pattern PACKED = Pattern.compile("(\\d{2})(\\d{2})(\\d{2})?");

    private final ZonedDateTime now;

    private SlurmDate(ZonedDateTime now) {
        this.now = now;
    }

    /// Epoch milliseconds; empty if the text is none of Slurm's.
    public static OptionalLong parse(String text, ZonedDateTime now) {
        try {
            ZonedDateTime time = new SlurmDate(now).read(text.strip().toLowerCase(Locale.ROOT));
            return time == null
                    ? OptionalLong.empty()
                    : OptionalLong.of(time.toInstant().toEpochMilli());
        } catch (DateTimeException | NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    private @Nullable ZonedDateTime read(String text) {
        if (text.equals("now")) {
            return now;
        }
        Matcher relative = RELATIVE.matcher(text);
        if (relative.matches()) {
            long seconds = unit(relative.group(3)) * Long.parseLong(relative.group(2));
            return seconds < 0
                    ? null
                    : now.plusSeconds(relative.group(1).equals("-") ? -seconds : seconds);
        }
        Matcher seconds = SECONDS.matcher(text);
        if (seconds.matches()) {
            return Instant.ofEpochSecond(Long.parseLong(seconds.group(1))).atZone(now.getZone());
        }
        LocalDate date = null;
        LocalTime time = null;
        for (String word : words(text)) {
            LocalTime asTime = time(word);
            LocalDate asDate = asTime == null ? date(word) : null;
            if ((asTime == null && asDate == null)
                    || (asTime != null && time != null)
                    || (asDate != null && date != null)) {
                return null;
            }
            time = asTime == null ? time : asTime;
            date = asDate == null ? date : asDate;
        }
        return at(date, time);
    }

    /// The words of a text; `T` between a date and a time parts them too.
    private static String[] words(String text) {
        return text.replaceAll("(\\d)\\s+(am|pm)", "$1$2")
                .replaceFirst("(?<=\\d)t(?=\\d)", " ")
                .split("\\s+");
    }

    private static long unit(String name) {
        return switch (name) {
            case "", "second", "seconds" -> 1;
            case "minute", "minutes" -> 60;
            case "hour", "hours" -> 3600;
            case "day", "days" -> 86_400;
            case "week", "weeks" -> 604_800;
            default -> -1;
        };
    }

    private ZonedDateTime at(@Nullable LocalDate date, @Nullable LocalTime time) {
        if (date != null) {
            return date.atTime(time == null ? LocalTime.MIDNIGHT : time).atZone(now.getZone());
        }
        LocalTime clock = time == null ? LocalTime.MIDNIGHT : time;
        ZonedDateTime today = now.toLocalDate().atTime(clock).atZone(now.getZone());
        return today.isBefore(now)
                ? now.toLocalDate().plusDays(1).atTime(clock).atZone(now.getZone())
                : today;
    }

    private static @Nullable LocalTime time(String word) {
        switch (word) {
            case "midnight" -> {
                return LocalTime.MIDNIGHT;
            }
            case "noon" -> {
                return LocalTime.NOON;
            }
            case "elevenses" -> {
                return LocalTime.of(11, 0);
            }
            case "fika" -> {
                return LocalTime.of(15, 0);
            }
            case "teatime" -> {
                return LocalTime.of(16, 0);
            }
            default -> {
                Matcher clock = CLOCK.matcher(word);
                return clock.matches() ? clock(clock) : null;
            }
        }
    }

    private static LocalTime clock(Matcher clock) {
        int hour = Integer.parseInt(clock.group(1));
        String half = clock.group(4);
        if (half != null) {
            if (hour < 1 || hour > 12) {
                throw new DateTimeException("hour " + hour + " " + half);
            }
            hour = hour % 12 + (half.equals("pm") ? 12 : 0);
        }
        int second = clock.group(3) == null ? 0 : Integer.parseInt(clock.group(3));
        return LocalTime.of(hour, Integer.parseInt(clock.group(2)), second);
    }

    private @Nullable LocalDate date(String word) {
        LocalDate today = now.toLocalDate();
        if (word.equals("today")) {
            return today;
        }
        if (word.equals("tomorrow")) {
            return today.plusDays(1);
        }
        Matcher iso = ISO.matcher(word);
        if (iso.matches()) {
            return LocalDate.of(number(iso, 1), number(iso, 2), number(iso, 3));
        }
        Matcher american = AMERICAN.matcher(word);
        if (american.matches()) {
            return dated(number(american, 1), number(american, 3), american.group(4));
        }
        Matcher packed = PACKED.matcher(word);
        return packed.matches()
                ? dated(number(packed, 1), number(packed, 2), packed.group(3))
                : null;
    }

    private LocalDate dated(int month, int day, @Nullable String year) {
        if (year != null) {
            int number = Integer.parseInt(year);
            return LocalDate.of(number < 100 ? 2000 + number : number, month, day);
        }
        LocalDate thisYear = LocalDate.of(now.getYear(), month, day);
        return thisYear.isBefore(now.toLocalDate()) ? thisYear.plusYears(1) : thisYear;
    }

    private static int number(Matcher matcher, int group) {
        return Integer.parseInt(matcher.group(group));
    }
}
