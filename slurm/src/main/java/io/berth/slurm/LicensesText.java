package io.berth.slurm;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The text of `--licenses`: names with counts, such as `matlab:2,ansys`.
///
/// Source: sbatch(1), "--licenses".
public final class LicensesText {

    private static final Pattern ONE =
            Pattern.compile("([A-Za-z0-9][A-Za-z0-9._-]{0,62})(?:[:=]([0-9]{1,9}))?");

    private LicensesText() {}

    /// How many of each name; one where no count is given.
    ///
    /// @throws InvalidOption if the text is no such list
    public static Map<String, Integer> parse(String text) throws InvalidOption {
        if (text.contains("|")) {
            throw InvalidOption.refused("a choice of licenses is not supported yet");
        }
        Map<String, Integer> licenses = new TreeMap<>();
        for (String one : text.split(",", -1)) {
            Matcher matcher = ONE.matcher(one);
            int count =
                    !matcher.matches()
                            ? 0
                            : matcher.group(2) == null ? 1 : Integer.parseInt(matcher.group(2));
            if (count == 0) {
                throw InvalidOption.refused(
                        "Batch job submission failed: Invalid license specification");
            }
            licenses.merge(matcher.group(1), count, Math::addExact);
        }
        return licenses;
    }
}
