package io.berth.submit;

import static io.berth.submit.Checks.invalid;

import io.berth.contracts.LaunchMode;
import io.berth.slurm.JobSubmission;
import io.berth.submit.Refusal.OfComponent;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What the components of a heterogeneous job may not say: they are no arrays, and those after the
/// first have no script of their own, nor what belongs to one.
final class HetParts {

    /// As many as Slurm takes (`MAX_HET_JOB_COMPS`).
    static final int MOST = 128;

    private HetParts() {}

    /// @throws Refused with the first component that is wrong
    static void check(JobSubmission asked) throws Refused {
        List<JobSubmission> further = asked.furtherComponents();
        if (further.isEmpty()) {
            return;
        }
        if (1 + further.size() > MOST) {
            throw invalid(
                    "a heterogeneous job has %d components, and may have %d"
                            .formatted(1 + further.size(), MOST));
        }
        if (asked.launch() == LaunchMode.PER_NODE) {
            throw invalid(
                    "the script of a heterogeneous job runs on its first node: launch is BATCH");
        }
        if (asked.conditions().array() != null) {
            throw noArray();
        }
        for (int i = 0; i < further.size(); i++) {
            try {
                checkFurther(further.get(i));
            } catch (Refused e) {
                throw new Refused(new OfComponent(i + 1, e.refusal()));
            }
        }
    }

    private static Refused noArray() {
        return invalid(
                "Invalid job array specification: a component of a heterogeneous job is no array");
    }

    private static void checkFurther(JobSubmission component) throws Refused {
        if (component.conditions().array() != null) {
            throw noArray();
        }
        var ofTheScript = new TreeMap<String, @Nullable Object>();
        ofTheScript.put("appendOutput", component.appendOutput());
        ofTheScript.put("arguments", component.arguments());
        ofTheScript.put("command", component.command());
        ofTheScript.put("components", component.components());
        ofTheScript.put("container", component.container());
        ofTheScript.put("environment", component.environment());
        ofTheScript.put("launch", component.launch());
        ofTheScript.put("script", component.script());
        ofTheScript.put("standardError", component.standardError());
        ofTheScript.put("standardInput", component.standardInput());
        ofTheScript.put("standardOutput", component.standardOutput());
        ofTheScript.put("submitHost", component.submitHost());
        ofTheScript.put("terms.mailType", component.conditions().mailType());
        ofTheScript.put("terms.mailUser", component.conditions().mailUser());
        ofTheScript.put("user", component.user());
        ofTheScript.put("workingDirectory", component.workingDirectory());
        for (Map.Entry<String, @Nullable Object> field : ofTheScript.entrySet()) {
            if (Objects.nonNull(field.getValue())) {
                throw invalid(
                        "field '%s' is for the first component, whose script is that of all"
                                .formatted(field.getKey()));
            }
        }
    }
}
