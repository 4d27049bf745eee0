package io.berth.cli;

import io.berth.slurm.JobText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Job ids on command lines: `17` for a job, all tasks of an array or all components of a
/// heterogeneous job, `17_4` and `17_[1-3,7]` for tasks, `17+1` for a component.
final class JobIds {

    private static final int MAX_DIGITS = 18;
    private static final Pattern PART =
            Pattern.compile("_(\\*|\\d{1,9}|\\[[0-9,:%-]+\\])|\\+\\d{1,3}");

    private JobIds() {}

    /// The positive number, null if the text is none.
    static @Nullable Long parse(String text) {
        if (text.isEmpty() || text.length() > MAX_DIGITS) {
            return null;
        }
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return null;
            }
        }
        long id = Long.parseLong(text);
        return id == 0 ? null : id;
    }

    /// Whether the text names jobs.
    static boolean names(String text) {
        String id = text.replaceFirst("[_+].*", "");
        String part = text.substring(id.length());
        return parse(id) != null && (part.isEmpty() || PART.matcher(part).matches());
    }

    /// Whether the name stands for a single job unless that is the first of several.
    static boolean one(String name) {
        return name.chars().allMatch(c -> c == '_' || c == '+' || (c >= '0' && c <= '9'));
    }

    /// The names in a list with commas; those in brackets part none.
    static List<String> split(String list) {
        return JobText.split(list);
    }

    /// Where the gateway has the jobs of that name: `/v1/jobs/17_%5B1-3%5D`.
    static String path(String name) {
        return "/v1/jobs/" + URLEncoder.encode(name, StandardCharsets.UTF_8);
    }
}
