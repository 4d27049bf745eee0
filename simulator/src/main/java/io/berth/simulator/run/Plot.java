package io.berth.simulator.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Lines over one axis, drawn as SVG. Both axes begin at 0.
final class Plot {

    private static final int WIDTH = 860;
    private static final int HEIGHT = 260;
    private static final int LEFT = 70;
    private static final int BOTTOM = 40;
    private static final int TOP = 24;
    private static final int RIGHT = 40;
    private static final List<String> COLOURS = List.of("#1769aa", "#c2571a");

    /// @param at places on the horizontal axis, 0..1
    private record Line(String name, double[] at, double[] values) {}

    /// @param at its place on the horizontal axis, 0..1
    private record Tick(double at, String label) {}

    private final String title;
    private final double most;
    private final String unit;
    private final List<Line> lines = new ArrayList<>();
    private final List<Tick> ticks = new ArrayList<>();

    /// @param most the upper end of the vertical axis
    /// @param unit of the vertical axis
    Plot(String title, double most, String unit) {
        this.title = title;
        this.most = most <= 0 ? 1 : most;
        this.unit = unit;
    }

    Plot line(String name, double[] at, double[] values) {
        lines.add(new Line(name, at, values));
        return this;
    }

    Plot tick(double at, String label) {
        ticks.add(new Tick(at, label));
        return this;
    }

    String svg() {
        var svg = new StringBuilder();
        add(svg, "<svg viewBox='0 0 %d %d' role='img'><title>%s</title>%n", WIDTH, HEIGHT, title);
        for (int quarter = 0; quarter <= 4; quarter++) {
            double value = most * quarter / 4;
            add(
                    svg,
                    "<line class='grid' x1='%d' x2='%d' y1='%.1f' y2='%.1f'/>"
                            + "<text class='y' x='%d' y='%.1f'>%,.0f%s</text>%n",
                    LEFT,
                    WIDTH - RIGHT,
                    y(value),
                    y(value),
                    LEFT - 6,
                    y(value) + 4,
                    value,
                    unit);
        }
        for (Tick tick : ticks) {
            add(
                    svg,
                    "<text class='x' x='%.1f' y='%d'>%s</text>%n",
                    x(tick.at),
                    HEIGHT - BOTTOM + 18,
                    tick.label);
        }
        for (int i = 0; i < lines.size(); i++) {
            draw(svg, lines.get(i), COLOURS.get(i % COLOURS.size()), i);
        }
        return svg.append("</svg>\n").toString();
    }

    private void draw(StringBuilder svg, Line line, String colour, int place) {
        add(svg, "<polyline fill='none' stroke='%s' stroke-width='1.6' points='", colour);
        for (int i = 0; i < line.at.length; i++) {
            add(svg, "%.1f,%.1f ", x(line.at[i]), y(Math.min(most, line.values[i])));
        }
        add(
                svg,
                "'/>%n<text fill='%s' x='%d' y='15'>%s</text>%n",
                colour,
                LEFT + 330 * place,
                line.name);
    }

    private static double x(double at) {
        return LEFT + at * (WIDTH - LEFT - RIGHT);
    }

    private double y(double value) {
        return HEIGHT - BOTTOM - value / most * (HEIGHT - BOTTOM - TOP);
    }

    private static void add(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }
}
