package io.berth.cli;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.TextStyle;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.util.Locale;

/// How times are told: as `SLURM_TIME_FORMAT` says.
///
/// Source: squeue(1), "ENVIRONMENT VARIABLES"; strftime(3) in the C locale.
///
/// @param pattern of strftime(3), or [#RELATIVE]
record TimeFormat(String pattern) {

    static final TimeFormat STANDARD = new TimeFormat("%Y-%m-%dT%H:%M:%S");

    /// The shorter the nearer: `10:00:55`, `Ystday 10:00`, `Tomorr 10:00`, `Fri 10:00`, `3 Nov
    /// 10:00`, `3 Nov 2024`.
    private static final String RELATIVE = "relative";

    /// @param variable the variable's value, "" if it is not set
    static TimeFormat of(String variable) {
        return variable.isEmpty() || variable.equals("standard")
                ? STANDARD
                : new TimeFormat(variable);
    }

    String text(long millis, long now, ZoneId zone) {
        ZonedDateTime time = Instant.ofEpochMilli(millis).atZone(zone);
        return strftime(pattern.equals(RELATIVE) ? relative(time, now) : pattern, time);
    }

    private static String relative(ZonedDateTime time, long now) {
        LocalDate today = Instant.ofEpochMilli(now).atZone(time.getZone()).toLocalDate();
        long days = ChronoUnit.DAYS.between(today, time.toLocalDate());
        if (days == -1) {
            return "Ystday %H:%M";
        } else if (days == 0) {
            return "%H:%M:%S";
        } else if (days == 1) {
            return "Tomorr %H:%M";
        } else if (Math.abs(days) > 365) {
            return "%-d %b %Y";
        }
        return days < -1 || days > 6 ? "%-d %b %H:%M" : "%a %H:%M";
    }

    private static String strftime(String pattern, ZonedDateTime time) {
        var text = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            if (pattern.charAt(i) != '%' || i + 1 == pattern.length()) {
                text.append(pattern.charAt(i));
                continue;
            }
            boolean bare = pattern.charAt(i + 1) == '-' && i + 2 < pattern.length();
            i += bare ? 2 : 1;
            String field = field(pattern.charAt(i), time);
            text.append(bare ? field.replaceFirst("^[0 ]+(?=.)", "") : field);
        }
        return text.toString();
    }

    /// What is no conversion stays as it is.
    private static String field(char letter, ZonedDateTime time) {
        int hour = time.getHour();
        return switch (letter) {
            case 'a' -> time.getDayOfWeek().getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
            case 'A' -> time.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case 'b', 'h' -> time.getMonth().getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
            case 'B' -> time.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case 'c' -> strftime("%a %b %e %H:%M:%S %Y", time);
            case 'C' -> padded(time.getYear() / 100, 2);
            case 'd' -> padded(time.getDayOfMonth(), 2);
            case 'D', 'x' -> strftime("%m/%d/%y", time);
            case 'e' -> "%2d".formatted(time.getDayOfMonth());
            case 'F' -> strftime("%Y-%m-%d", time);
            case 'G' -> Integer.toString(time.get(IsoFields.WEEK_BASED_YEAR));
            case 'H' -> padded(hour, 2);
            case 'I' -> padded((hour + 11) % 12 + 1, 2);
            case 'j' -> padded(time.getDayOfYear(), 3);
            case 'k' -> "%2d".formatted(hour);
            case 'l' -> "%2d".formatted((hour + 11) % 12 + 1);
            case 'm' -> padded(time.getMonthValue(), 2);
            case 'M' -> padded(time.getMinute(), 2);
            case 'n' -> "\n";
            case 'p' -> hour < 12 ? "AM" : "PM";
            case 'r' -> strftime("%I:%M:%S %p", time);
            case 'R' -> strftime("%H:%M", time);
            case 's' -> Long.toString(time.toEpochSecond());
            case 'S' -> padded(time.getSecond(), 2);
            case 't' -> "\t";
            case 'T', 'X' -> strftime("%H:%M:%S", time);
            case 'u' -> Integer.toString(time.getDayOfWeek().getValue());
            case 'V' -> padded(time.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR), 2);
            case 'w' -> Integer.toString(time.getDayOfWeek().getValue() % 7);
            case 'y' -> padded(time.getYear() % 100, 2);
            case 'Y' -> Integer.toString(time.getYear());
            case 'z' -> offset(time.getOffset().getTotalSeconds());
            case 'Z' -> time.getZone().getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
            case '%' -> "%";
            default -> "%" + letter;
        };
    }

    private static String offset(int seconds) {
        int minutes = Math.abs(seconds) / 60;
        return (seconds < 0 ? "-" : "+") + padded(minutes / 60, 2) + padded(minutes % 60, 2);
    }

    private static String padded(int number, int width) {
        String digits = Integer.toString(number);
        return "0".repeat(Math.max(0, width - digits.length())) + digits;
    }
}
