package io.berth.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// What `sacct -j` selects: `17` a job with all of its lines, `17.batch` and `17.0` those alone.
///
/// @param steps of each job, in the order given; all where there are none
record StepSelection(Map<Long, Set<String>> steps) {

    private static final Pattern STEP = Pattern.compile("batch|extern|interactive|[0-9]{1,9}");

    /// @throws CommandFailure if one is neither
    static StepSelection of(List<String> words) throws CommandFailure {
        Map<Long, Set<String>> steps = new LinkedHashMap<>();
        Set<Long> whole = new TreeSet<>();
        for (String text : words) {
            int dot = text.indexOf('.');
            Long id = JobIds.parse(dot < 0 ? text : text.substring(0, dot));
            String step = dot < 0 ? "" : text.substring(dot + 1);
            if (id == null || (dot >= 0 && !STEP.matcher(step).matches())) {
                throw new CommandFailure(1, "sacct: fatal: Bad job/step specified: " + text + "\n");
            }
            Set<String> of = steps.computeIfAbsent(id, _ -> new TreeSet<>());
            if (dot < 0) {
                whole.add(id);
            } else {
                of.add(step);
            }
        }
        whole.forEach(id -> steps.put(id, Set.of()));
        return new StepSelection(steps);
    }

    List<Long> jobs() {
        return List.copyOf(steps.keySet());
    }

    boolean has(AccountedJob line) {
        Set<String> wanted = steps.getOrDefault(line.number("id"), Set.of());
        return wanted.isEmpty() || wanted.contains(line.step());
    }
}
