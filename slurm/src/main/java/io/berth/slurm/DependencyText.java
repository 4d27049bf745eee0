package io.berth.slurm;

import io.berth.contracts.Dependency;
import io.berth.contracts.Dependency.Clause;
import io.berth.contracts.Dependency.Type;
import io.berth.contracts.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads what `--dependency` says: `afterok:12:13_4,after:14+5,singleton`. A bare job id is
/// `afterany`; one `?` makes any clause of the whole list enough.
public final class DependencyText {

    private static final Pattern TARGET =
            Pattern.compile("(\\d{1,18})(?:_(\\d{1,9}|\\*))?(?:\\+(\\d{1,9}))?");

    private static final String INVALID = "Batch job submission failed: Job dependency problem";

    private DependencyText() {}

    /// The dependency of that text; null if it is empty, which is none.
    ///
    /// @throws InvalidOption if the text is none
    public static @Nullable Dependency parse(String text) throws InvalidOption {
        if (text.isEmpty()) {
            return null;
        }
        var clauses = new ArrayList<Clause>();
        for (String part : text.split("[,?]", -1)) {
            clauses.addAll(clauses(part));
        }
        return new Dependency(text.indexOf('?') >= 0, clauses);
    }

    private static List<Clause> clauses(String part) throws InvalidOption {
        String[] words = part.split(":", -1);
        String keyword = words[0].toLowerCase(Locale.ROOT);
        if (words.length == 1 && keyword.equals("singleton")) {
            return List.of(new Clause(Type.SINGLETON, null, null, 0));
        }
        if (words.length == 1) {
            return List.of(clause(Type.AFTERANY, words[0]));
        }
        Type type = type(keyword);
        var clauses = new ArrayList<Clause>();
        for (String target : List.of(words).subList(1, words.length)) {
            clauses.add(clause(type, target));
        }
        return clauses;
    }

    private static Type type(String keyword) throws InvalidOption {
        return switch (keyword) {
            case "after" -> Type.AFTER;
            case "afterany" -> Type.AFTERANY;
            case "afterok" -> Type.AFTEROK;
            case "afternotok" -> Type.AFTERNOTOK;
            case "aftercorr" -> Type.AFTERCORR;
            case "expand" ->
                    throw InvalidOption.refused(
                            "Batch job submission failed:"
                                    + " Requested operation not supported on this system");
            case "afterburstbuffer" ->
                    throw InvalidOption.refused(
                            "--dependency=afterburstbuffer is not supported yet");
            default -> throw InvalidOption.refused(INVALID);
        };
    }

    private static Clause clause(Type type, String text) throws InvalidOption {
        Matcher target = TARGET.matcher(text);
        if (!target.matches() || Long.parseLong(target.group(1)) == 0) {
            throw InvalidOption.refused(INVALID);
        }
        String task = target.group(2);
        OptionalLong minutes =
                target.group(3) == null ? OptionalLong.empty() : Counts.plain(target.group(3));
        if (minutes.isPresent() && type != Type.AFTER) {
            throw InvalidOption.refused(INVALID);
        }
        return new Clause(
                type,
                new JobId(Long.parseLong(target.group(1))),
                task == null || task.equals("*") ? null : Integer.valueOf(task),
                minutes.orElse(0) * 60);
    }
}
