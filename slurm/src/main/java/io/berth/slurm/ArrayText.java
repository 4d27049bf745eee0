package io.berth.slurm;

import io.berth.contracts.IndexSet;
import java.util.BitSet;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The tasks of an array as `--array` names them: `0-15:4%2` is 0, 4, 8 and 12, two at a time.
///
/// As in Slurm indices may repeat and overlap, `%` followed by no number is no throttle, and `%3`
/// alone is task 0. So that a text costs no more than it is worth, it names no more than
/// [#MOST_NAMED] indices, those that repeat among them.
///
/// @param throttle the most tasks that run at once; 0 is any number
public record ArrayText(IndexSet tasks, int throttle) {

    static final int MOST_NAMED = 2 * (IndexSet.MAX_INDEX + 1);

    private static final String INVALID =
            "Batch job submission failed: Invalid job array specification";

    /// The tasks of that text; null if it is empty, which is no array.
    ///
    /// @throws InvalidOption if the text is none, or an index is above [IndexSet#MAX_INDEX]
    public static @Nullable ArrayText parse(String text) throws InvalidOption {
        if (text.isEmpty()) {
            return null;
        }
        int percent = text.indexOf('%');
        String list = percent < 0 ? text : text.substring(0, percent);
        int throttle = percent < 0 ? 0 : throttle(text.substring(percent + 1));
        if (list.startsWith("[") && list.endsWith("]")) {
            list = list.substring(1, list.length() - 1);
        }
        var tasks = new BitSet();
        if (list.isEmpty()) {
            tasks.set(0);
        }
        int named = 0;
        for (int from = 0; from <= list.length(); ) {
            int comma = list.indexOf(',', from);
            int end = comma < 0 ? list.length() : comma;
            if (end > from) {
                named += add(list.substring(from, end), tasks);
            }
            if (named > MOST_NAMED) {
                throw InvalidOption.refused(INVALID);
            }
            from = end + 1;
        }
        if (tasks.isEmpty()) {
            throw InvalidOption.refused(INVALID);
        }
        return new ArrayText(IndexSet.of(tasks), throttle);
    }

    private static int throttle(String text) {
        OptionalLong number =
                Counts.plain(text.endsWith("]") ? text.substring(0, text.length() - 1) : text);
        return (int) Math.min(number.orElse(0), Integer.MAX_VALUE);
    }

    /// How many indices the range names.
    private static int add(String range, BitSet tasks) throws InvalidOption {
        int dash = range.indexOf('-');
        if (dash < 0) {
            tasks.set(index(range));
            return 1;
        }
        int colon = range.indexOf(':', dash);
        int first = index(range.substring(0, dash));
        int last = index(range.substring(dash + 1, colon < 0 ? range.length() : colon));
        int step = colon < 0 ? 1 : index(range.substring(colon + 1));
        if (last < first || step == 0) {
            throw InvalidOption.refused(INVALID);
        }
        for (int index = first; index <= last; index += step) {
            tasks.set(index);
        }
        return (last - first) / step + 1;
    }

    private static int index(String digits) throws InvalidOption {
        OptionalLong number = Counts.plain(digits);
        if (number.isEmpty() || number.getAsLong() > IndexSet.MAX_INDEX) {
            throw InvalidOption.refused(INVALID);
        }
        return (int) number.getAsLong();
    }
}
