package io.berth.cli;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/// Slurm's texts for points in time, in the caller's zone.
final class Dates {

    private static final List<String> DAYS =
            List.of("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun");
    private static final List<String> MONTHS =
            List.of(
                    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov",
                    "Dec");

    private Dates() {}

    /// `2026-11-20T10:00:55`, or `otherwise` for a time that is 0.
    static String iso(long millis, ZoneId zone, String otherwise) {
        if (millis == 0) {
            return otherwise;
        }
        LocalDateTime time = LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), zone);
        return time.toLocalDate() + "T" + clock(time.toLocalTime());
    }

    /// `Fri Nov 20 10:01:06 2026`, the line above long listings.
    static String line(long millis, ZoneId zone) {
        LocalDateTime time = LocalDateTime.ofInstant(Instant.ofEpochMilli(millis), zone);
        return DAYS.get(time.getDayOfWeek().ordinal())
                + " "
                + MONTHS.get(time.getMonthValue() - 1)
                + " "
                + twoDigits(time.getDayOfMonth())
                + " "
                + clock(time.toLocalTime())
                + " "
                + time.getYear();
    }

    private static String clock(LocalTime time) {
        return twoDigits(time.getHour())
                + ":"
                + twoDigits(time.getMinute())
                + ":"
                + twoDigits(time.getSecond());
    }

    private static String twoDigits(int number) {
        return (number < 10 ? "0" : "") + number;
    }

    static long midnight(long now, ZoneId zone) {
        ZonedDateTime today = Instant.ofEpochMilli(now).atZone(zone);
        return today.toLocalDate().atStartOfDay(zone).toInstant().toEpochMilli();
    }

    /// The milliseconds of `now`, `now-2hours`, `today`, `midnight`, `noon`, `tomorrow`, `10:30`,
    /// `2026-11-20`, `2026-11-20T10:30[:00]`; empty if the text is none of them.
    static OptionalLong parse(String text, long now, ZoneId zone) {
        String lower = text.toLowerCase(Locale.ROOT);
        LocalDate today = Instant.ofEpochMilli(now).atZone(zone).toLocalDate();
        try {
            return switch (lower) {
                case "now" -> OptionalLong.of(now);
                case "today", "midnight" -> at(today, LocalTime.MIDNIGHT, zone);
                case "tomorrow" -> at(today.plusDays(1), LocalTime.MIDNIGHT, zone);
                case "noon" -> at(today, LocalTime.NOON, zone);
                default -> {
                    if (lower.startsWith("now+") || lower.startsWith("now-")) {
                        yield relative(lower.substring(3), now);
                    }
                    int split = text.indexOf('T');
                    if (split < 0 && text.indexOf(':') > 0) {
                        yield at(today, LocalTime.parse(text), zone);
                    }
                    yield split < 0
                            ? at(LocalDate.parse(text), LocalTime.MIDNIGHT, zone)
                            : at(
                                    LocalDate.parse(text.substring(0, split)),
                                    LocalTime.parse(text.substring(split + 1)),
                                    zone);
                }
            };
        } catch (DateTimeParseException e) {
            return OptionalLong.empty();
        }
    }

    private static OptionalLong at(LocalDate date, LocalTime time, ZoneId zone) {
        return OptionalLong.of(date.atTime(time).atZone(zone).toInstant().toEpochMilli());
    }

    /// `+90`, `-2hours`: a signed number of seconds or of a unit.
    private static OptionalLong relative(String text, long now) {
        int end = 1;
        while (end < text.length() && Character.isDigit(text.charAt(end))) {
            end++;
        }
        long seconds =
                switch (text.substring(end)) {
                    case "", "second", "seconds" -> 1;
                    case "minute", "minutes" -> 60;
                    case "hour", "hours" -> 3600;
                    case "day", "days" -> 86_400;
                    case "week", "weeks" -> 604_800;
                    default -> 0;
                };
        if (end == 1 || end > 10 || seconds == 0) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(now + Long.parseLong(text.substring(0, end)) * seconds * 1000);
    }
}
