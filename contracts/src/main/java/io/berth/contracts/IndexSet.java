package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.BitSet;

/// An immutable set of small indices, such as the CPUs of a node. Its text is the kernel's cpuset
/// list, `0-3,8`; the empty set is the empty text.
///
/// Source: cpuset(7), "List format".
public final class IndexSet {

    /// The largest index that a text may name.
    public static final int MAX_INDEX = 65_535;

    public static final IndexSet EMPTY = new IndexSet(new BitSet());

    private final BitSet bits;

    private IndexSet(BitSet bits) {
        this.bits = bits;
    }

    /// The set of the bits that are on now; later changes to `bits` do not show.
    public static IndexSet of(BitSet bits) {
        return new IndexSet((BitSet) bits.clone());
    }

    /// The indices from 0 to `size - 1`.
    public static IndexSet firstN(int size) {
        var bits = new BitSet(size);
        bits.set(0, size);
        return new IndexSet(bits);
    }

    /// The set that a cpuset list names.
    ///
    /// @throws IllegalArgumentException if the text is no such list
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static IndexSet parse(String text) {
        var bits = new BitSet();
        if (text.isEmpty()) {
            return EMPTY;
        }
        for (String range : text.split(",", -1)) {
            int dash = range.indexOf('-');
            int first = index(dash < 0 ? range : range.substring(0, dash), text);
            int last = dash < 0 ? first : index(range.substring(dash + 1), text);
            if (last < first) {
                throw new IllegalArgumentException(
                        "range '" + range + "' in '" + text + "' runs backwards");
            }
            bits.set(first, last + 1);
        }
        return new IndexSet(bits);
    }

    private static int index(String digits, String text) {
        if (digits.isEmpty()
                || digits.length() > 5
                || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new IllegalArgumentException("'" + text + "' is not a list such as 0-3,8");
        }
        int index = Integer.parseInt(digits);
        if (index > MAX_INDEX) {
            throw new IllegalArgumentException(
                    "index " + index + " in '" + text + "' is above " + MAX_INDEX);
        }
        return index;
    }

    public boolean contains(int index) {
        return bits.get(index);
    }

    public int size() {
        return bits.cardinality();
    }

    public boolean isEmpty() {
        return bits.isEmpty();
    }

    /// A copy that the caller may change.
    public BitSet toBitSet() {
        return (BitSet) bits.clone();
    }

    public boolean intersects(IndexSet other) {
        return bits.intersects(other.bits);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IndexSet set && bits.equals(set.bits);
    }

    @Override
    public int hashCode() {
        return bits.hashCode();
    }

    @JsonValue
    @Override
    public String toString() {
        var text = new StringBuilder();
        for (int first = bits.nextSetBit(0); first >= 0; ) {
            int end = bits.nextClearBit(first);
            text.append(text.isEmpty() ? "" : ",").append(first);
            if (end - first > 1) {
                text.append('-').append(end - 1);
            }
            first = bits.nextSetBit(end);
        }
        return text.toString();
    }
}
