package io.berth.simulator.trace;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;

/// A comma-separated file with a header, without quotes; gzipped if its name ends in `.gz`.
final class Table {

    private final Path file;
    private final List<String> columns;

    private Table(Path file, String header) {
        this.file = file;
        this.columns = Arrays.asList(header.split(",", -1));
    }

    /// Takes a row in.
    @FunctionalInterface
    interface RowReader {
        void read(Row row) throws BadField;
    }

    /// A field that cannot be read.
    static final class BadField extends Exception {

        private static final long serialVersionUID = 1;

        BadField(String message) {
            super(message);
        }
    }

    /// Hands each row over; rows that are faulty go to `bad`.
    ///
    /// @throws BadTrace if the file is missing, empty, damaged or lacks a column
    static void read(Path file, List<String> needed, BadLines bad, RowReader reader)
            throws BadTrace {
        try (BufferedReader lines = open(file)) {
            String header = lines.readLine();
            if (header == null) {
                throw new BadTrace(file + " is empty");
            }
            var table = new Table(file, header.strip());
            table.mustHave(needed);
            int number = 1;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                if (!line.isBlank()) {
                    table.readRow(line, number, bad, reader);
                }
            }
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    static BufferedReader open(Path file) throws IOException {
        InputStream bytes = Files.newInputStream(file);
        if (file.toString().endsWith(".gz")) {
            bytes = new GZIPInputStream(bytes, 1 << 16);
        }
        return new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8));
    }

    static BadTrace unreadable(Path file, IOException e) {
        String why = e instanceof NoSuchFileException ? "there is no such file" : e.getMessage();
        return new BadTrace(file + ": " + why);
    }

    private void mustHave(List<String> needed) throws BadTrace {
        List<String> missing = needed.stream().filter(name -> !columns.contains(name)).toList();
        if (!missing.isEmpty()) {
            throw new BadTrace(file + ":1: no column " + String.join(", ", missing));
        }
    }

    private void readRow(String line, int number, BadLines bad, RowReader reader) throws BadTrace {
        String[] fields = line.split(",", -1);
        try {
            if (fields.length != columns.size()) {
                throw new BadField(
                        fields.length + " fields where the header has " + columns.size());
            }
            reader.read(new Row(columns, fields));
        } catch (BadField e) {
            bad.found(file.toString(), number, String.valueOf(e.getMessage()));
        }
    }

    /// One line's fields by column.
    record Row(List<String> columns, String[] fields) {

        /// "" if the file has no such column.
        String text(String column) {
            int place = columns.indexOf(column);
            return place < 0 ? "" : fields[place].strip();
        }

        /// A whole number from 0 up, or `otherwise` if the field is empty.
        long number(String column, long otherwise, long most) throws BadField {
            String text = text(column);
            if (text.isEmpty()) {
                return otherwise;
            }
            try {
                long number = Long.parseLong(text);
                if (number >= 0 && number <= most) {
                    return number;
                }
            } catch (NumberFormatException e) {
                throw new BadField(column + " is '" + text + "', not a whole number");
            }
            throw new BadField(column + " is " + text + "; 0 to " + most + " are possible");
        }

        /// Seconds with or without decimals as milliseconds, or -1 if the field is empty.
        long millis(String column) throws BadField {
            String text = text(column);
            if (text.isEmpty()) {
                return -1;
            }
            try {
                double seconds = Double.parseDouble(text);
                if (seconds >= 0 && seconds < 1e12) {
                    return Math.round(seconds * 1000);
                }
            } catch (NumberFormatException e) {
                throw new BadField(column + " is '" + text + "', not a number of seconds");
            }
            throw new BadField(column + " is " + text + "; 0 to 1e12 seconds are possible");
        }
    }
}
