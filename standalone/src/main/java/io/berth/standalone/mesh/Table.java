package io.berth.standalone.mesh;

import java.util.ArrayList;
import java.util.List;

/// Text in columns, each as wide as its widest cell.
public final class Table {

    private static final String GAP = "  ";

    private final List<String[]> rows = new ArrayList<>();

    public Table(String... heads) {
        rows.add(heads);
    }

    /// Adds a row of as many cells as there are heads.
    public void row(String... cells) {
        if (cells.length != rows.getFirst().length) {
            throw new IllegalStateException(
                    "row of %d cells in a table of %d columns"
                            .formatted(cells.length, rows.getFirst().length));
        }
        rows.add(cells);
    }

    @Override
    public String toString() {
        var text = new StringBuilder();
        for (String[] row : rows) {
            var line = new StringBuilder();
            for (int column = 0; column < row.length; column++) {
                line.append(row[column])
                        .repeat(' ', width(column) - row[column].length())
                        .append(GAP);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private int width(int column) {
        return rows.stream().mapToInt(row -> row[column].length()).max().orElse(0);
    }
}
