package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.regex.Pattern;

/// How each GPU of a node reaches each other one, as a matrix in the words of `nvidia-smi topo -m`:
/// one row for each GPU of the inventory, in its order, one word for each GPU.
///
/// `X` is the GPU itself, `NV12` twelve NVLinks, through switches or straight, `XGMI` AMD's links,
/// straight (the word of `rocm-smi --showtopotype`); then by PCI: `PIX` over one bridge, `PXB` over
/// several, `PHB` over a host bridge, `NODE` inside a NUMA node, `SYS` between NUMA nodes; `?` is
/// not known.
public record GpuLinks(List<String> rows) {

    private static final Pattern WORD =
            Pattern.compile("X|NV[1-9][0-9]*|XGMI|PIX|PXB|PHB|NODE|SYS|\\?");

    /// The nearness of two GPUs, the nearest first.
    public enum Path {
        SELF,
        NVLINK,
        XGMI,
        PIX,
        PXB,
        PHB,
        NODE,
        SYS,
        UNKNOWN;

        /// The way that a word of the matrix names.
        public static Path of(String word) {
            return switch (word) {
                case "X" -> SELF;
                case "?" -> UNKNOWN;
                default -> word.startsWith("NV") ? NVLINK : valueOf(word);
            };
        }

        /// Whether it is of links of the GPUs' own, beside PCI.
        public boolean linked() {
            return this == NVLINK || this == XGMI;
        }
    }

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public GpuLinks {
        rows = List.copyOf(rows);
        for (String row : rows) {
            String[] words = row.split(" ", -1);
            if (words.length != rows.size()) {
                throw new IllegalArgumentException(
                        "row '%s' has %d words for %d GPUs"
                                .formatted(row, words.length, rows.size()));
            }
            for (String word : words) {
                if (!WORD.matcher(word).matches()) {
                    throw new IllegalArgumentException("'%s' is no link".formatted(word));
                }
            }
        }
    }

    /// The way between two GPUs, by their places in the inventory's list.
    public Path path(int from, int to) {
        return Path.of(word(from, to));
    }

    /// Whether two GPUs, by their places in the inventory's list, have links of their own between
    /// them, beside PCI.
    public boolean linked(int from, int to) {
        return path(from, to).linked();
    }

    /// The NVLinks between two GPUs, by their places in the inventory's list; 0 if there are none.
    public int nvlinks(int from, int to) {
        String word = word(from, to);
        return word.startsWith("NV") ? Integer.parseInt(word.substring(2)) : 0;
    }

    /// Those among some of the GPUs, by their places in the inventory's list.
    public GpuLinks among(List<Integer> places) {
        return new GpuLinks(
                places.stream()
                        .map(from ->
                                String.join(
                                        " ", places.stream().map(to -> word(from, to)).toList()))
                        .toList());
    }

    @JsonValue
    @Override
    public List<String> rows() {
        return rows;
    }

    private String word(int from, int to) {
        return rows.get(from).split(" ", -1)[to];
    }
}
