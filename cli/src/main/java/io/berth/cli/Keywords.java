package io.berth.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Words that may be cut short, in any case of their letters: `desc` is `Description`. The first
/// that fits counts.
///
/// @param each in Slurm's order
record Keywords(List<Word> each) {

    /// A word.
    ///
    /// @param least how many letters of it are needed
    /// @param meaning what it stands for
    private record Word(String name, int least, String meaning) {

        boolean fits(String given) {
            return given.length() >= least && name.regionMatches(true, 0, given, 0, given.length());
        }
    }

    /// @param text `Description:1 Shares:1=fairshare`: a word, how many of its letters are needed,
    ///   and what it stands for if that is not the word in small letters
    static Keywords of(String text) {
        var each = new ArrayList<Word>();
        for (String item : text.strip().split("\\s+")) {
            String[] meant = item.split("=", 2);
            String[] word = meant[0].split(":", 2);
            each.add(
                    new Word(
                            word[0],
                            Integer.parseInt(word[1]),
                            meant.length > 1 ? meant[1] : word[0].toLowerCase(Locale.ROOT)));
        }
        return new Keywords(List.copyOf(each));
    }

    /// What the word stands for, null if it is none of these.
    @Nullable String find(String given) {
        for (Word word : each) {
            if (word.fits(given)) {
                return word.meaning();
            }
        }
        return null;
    }

    /// The same, a word that is none of these as it is.
    String full(String given) {
        String meaning = find(given);
        return meaning == null ? given : meaning;
    }
}
