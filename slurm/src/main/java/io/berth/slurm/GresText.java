package io.berth.slurm;

import io.berth.contracts.Gres;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Reads resources other than GPUs as `--gres` says them: a list of `name[:type][:count]`, each
/// with an optional `gres:` before it and one of them if no count is given. A count may end in `K`
/// or `M`. Of one name and type that comes twice the last count holds; of a count of 0 nothing is
/// asked.
public final class GresText {

    static final String INVALID = "Invalid generic resource (gres) specification";

    private GresText() {}

    /// @param list null is an empty one
    /// @throws InvalidOption if the list is none, or speaks of GPUs
    public static List<Gres> parse(@Nullable String list) throws InvalidOption {
        var found = new TreeMap<String, Gres>();
        for (String item : list == null || list.isEmpty() ? new String[0] : list.split(",", -1)) {
            String[] words = (item.startsWith("gres:") ? item.substring(5) : item).split(":", -1);
            boolean typed = words.length == 3 || (words.length == 2 && !beginsWithDigit(words[1]));
            boolean counted = words.length == 3 || (words.length == 2 && !typed);
            String type = typed ? words[1] : null;
            OptionalLong count =
                    counted ? Counts.withUnit(words[words.length - 1]) : OptionalLong.of(1);
            if (words.length > 3
                    || !Gres.isName(words[0])
                    || (type != null && !Gres.isType(type))
                    || count.isEmpty()
                    || count.getAsLong() > Gres.MOST) {
                throw InvalidOption.refused(
                        "%s: '%s' is not name[:type][:count]".formatted(INVALID, item));
            }
            String kind = type == null ? words[0] : words[0] + ":" + type;
            if (count.getAsLong() == 0) {
                found.remove(kind);
            } else {
                found.put(kind, new Gres(words[0], type, count.getAsLong()));
            }
        }
        return new ArrayList<>(found.values());
    }

    /// What a job wants.
    ///
    /// @param list null is an empty one
    /// @throws InvalidOption if the list is none, or names a resource with a type and without one
    public static List<Gres> wanted(@Nullable String list) throws InvalidOption {
        List<Gres> wanted = parse(list);
        String ambiguous = Gres.ambiguous(wanted);
        if (ambiguous != null) {
            throw InvalidOption.refused(
                    "%s: '%s' names %s with a type and without one"
                            .formatted(INVALID, list, ambiguous));
        }
        return wanted;
    }

    /// Whether that is to be a count, and not a type.
    private static boolean beginsWithDigit(String word) {
        return !word.isEmpty() && Character.isDigit(word.charAt(0));
    }

    /// The list that [#parse] reads.
    public static String text(List<Gres> gres) {
        return String.join(",", gres.stream().map(Gres::text).toList());
    }
}
