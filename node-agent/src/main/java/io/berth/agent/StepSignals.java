package io.berth.agent;

import io.berth.agent.StepGroups.Holder;
import io.berth.agent.group.Group;
import io.berth.agent.group.Signals;
import io.berth.agent.host.LiveProcess;
import io.berth.agent.launch.RunFiles;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;

/// Signals to the tasks of one step. Its `srun` lives on, to tell what became of them.
final class StepSignals {

    /// HUP, INT, USR1, USR2 and TERM, which an `srun` hands on to its tasks.
    private static final Set<Integer> HANDED_ON = Set.of(1, 2, 10, 12, Signals.TERM);

    private static final int MOST_BYTES = 64;

    private StepSignals() {}

    /// Sends a signal; nothing to a step that is not here, or not any more.
    ///
    /// @param group of the run
    /// @param signal by the kernel's number
    static void send(RunFiles files, Group group, int step, int signal) throws IOException {
        Optional<LiveProcess> found = srun(files, step);
        if (found.isEmpty() || !found.get().alive() || !group.has(found.get().pid())) {
            return;
        }
        long srun = found.get().pid();
        if (HANDED_ON.contains(signal)) {
            Signals.send(srun, signal);
        } else if (signal == Signals.KILL) {
            Signals.killAll(() -> tasks(group, step, srun));
        } else {
            for (long task : tasks(group, step, srun)) {
                Signals.send(task, signal);
            }
        }
    }

    /// The step's `srun`: as the agent knows it, or, of a step without a group, as it says itself,
    /// which its user may have changed.
    private static Optional<LiveProcess> srun(RunFiles files, int step) throws IOException {
        Holder holder = StepGroups.kept(files).get(step);
        if (holder != null) {
            return Optional.of(holder.process());
        }
        for (String name : new String[] {"steps/step." + step, "steps/step.part-" + step}) {
            String text = files.job().text(name, MOST_BYTES);
            Matcher words = RunSteps.PROCESS.matcher(text.lines().findFirst().orElse(""));
            if (words.matches()) {
                return Optional.of(
                        new LiveProcess(
                                Long.parseLong(words.group(1)), Long.parseLong(words.group(2))));
            }
        }
        return Optional.empty();
    }

    /// All of the step but its `srun`: who is in its group, or, without one, comes from its `srun`.
    private static Set<Long> tasks(Group group, int step, long srun) throws IOException {
        var tasks = new HashSet<Long>();
        if (group.children().contains(step)) {
            tasks.addAll(group.child(step).orElseThrow().members());
        } else {
            ProcessHandle.of(srun).stream()
                    .flatMap(ProcessHandle::descendants)
                    .forEach(it -> tasks.add(it.pid()));
            tasks.retainAll(group.members());
        }
        tasks.remove(srun);
        return tasks;
    }
}
