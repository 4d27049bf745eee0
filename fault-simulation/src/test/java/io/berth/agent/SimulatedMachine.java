package io.berth.agent;

import io.berth.contracts.Consumption;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.NodeSeen.Life;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.event.RunReport.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// A machine, as its agent finds it: a spool that survives the agent, tasks that survive it too,
/// and die with the machine; and shims that kill the tasks when the lease is over.
public final class SimulatedMachine implements Lease.Kept {

    /// How far a run has come; what a folder of the spool has in it.
    enum Step {
        /// Its order is there, and nothing else.
        ORDERED,
        PREPARED,
        /// It had the word.
        BEGUN
    }

    /// A run's folder.
    static final class Folder {

        final Launch launch;
        final int boot;
        Step step = Step.ORDERED;

        /// Which suspension it stands still in; null if it does not.
        @Nullable Integer frozen;

        /// What its tasks came to; null as long as there are any.
        @Nullable RunEnd tasks;

        /// What its part came to; null as long as that is not known.
        @Nullable RunEnd end;

        private Folder(Launch launch, int boot) {
            this.launch = launch;
            this.boot = boot;
        }

        /// Whether its script is there.
        boolean script() {
            return step == Step.BEGUN && tasks == null && end == null && launch.runsScript();
        }
    }

    private final NodeName node;
    private final String machineId;
    private final LongSupplier millis;
    private final TreeMap<RunId, Folder> spool = new TreeMap<>();
    private final TreeSet<RunId> prepared = new TreeSet<>();
    private final TreeSet<RunId> told = new TreeSet<>();
    private final List<RunId> started = new ArrayList<>();
    private OptionalLong leaseUntil = OptionalLong.empty();
    private int boot = 1;
    private long bootedAt;
    private int spools = 1;
    private long lives;

    /// @param millis the time that is right, in epoch milliseconds
    public SimulatedMachine(String node, String machineId, LongSupplier millis) {
        this.node = new NodeName(node);
        this.machineId = machineId;
        this.millis = millis;
        this.bootedAt = millis.getAsLong();
    }

    public NodeName node() {
        return node;
    }

    public String machineId() {
        return machineId;
    }

    public String bootId() {
        return machineId + "-boot-" + boot;
    }

    int boot() {
        return boot;
    }

    long uptimeMillis() {
        return millis.getAsLong() - bootedAt;
    }

    /// The next life of an agent on its spool.
    Life begin() {
        return new Life(machineId + "-spool-" + spools, ++lives);
    }

    Folder intend(Launch launch) {
        var folder = new Folder(launch, boot);
        spool.put(launch.run(), folder);
        return folder;
    }

    void prepared(Folder folder) {
        folder.step = Step.PREPARED;
        prepared.add(folder.launch.run());
    }

    void begin(Folder folder) {
        folder.step = Step.BEGUN;
        if (folder.launch.runsScript()) {
            started.add(folder.launch.run());
        }
    }

    void remove(RunId run) {
        spool.remove(run);
    }

    /// The end of a run stands in the log.
    void told(RunId run) {
        told.add(run);
        remove(run);
    }

    /// Whether the end of that run stands in the log: what the test knows, not the machine.
    public boolean toldEnd(RunId run) {
        return told.contains(run);
    }

    /// Whether anything of a run goes on.
    public boolean hasTasks() {
        return spool.values().stream()
                .anyMatch(it -> it.step == Step.BEGUN && it.tasks == null && it.end == null);
    }

    List<Folder> folders() {
        return List.copyOf(spool.values());
    }

    /// Whether it has ever had that run: what the test knows, not the machine.
    public boolean prepared(RunId run) {
        return prepared.contains(run);
    }

    /// Runs whose script started since this was asked.
    public List<RunId> started() {
        var since = List.copyOf(started);
        started.clear();
        return since;
    }

    /// Whether there is anything in its spool.
    public boolean holdsRuns() {
        return !spool.isEmpty();
    }

    /// Runs whose script runs on this machine now, or stands still.
    public List<RunId> scripts() {
        return spool.values().stream().filter(Folder::script).map(it -> it.launch.run()).toList();
    }

    /// A script ends by itself, if one can; its run.
    public @Nullable RunId exit(int code) {
        for (Folder folder : spool.values()) {
            if (folder.script() && folder.frozen == null) {
                folder.tasks =
                        new RunEnd(Cause.EXITED, new ExitStatus(code, 0), Consumption.NONE, null);
                return folder.launch.run();
            }
        }
        return null;
    }

    /// Time has passed: the shims look at the lease.
    public void look() {
        if (leaseUntil.isPresent() && uptimeMillis() > leaseUntil.getAsLong()) {
            killTasks("the node was cut off");
        }
    }

    private void killTasks(String why) {
        for (Folder folder : spool.values()) {
            if (folder.step != Step.ORDERED && folder.tasks == null) {
                folder.tasks = RunEnd.unstarted(Cause.STATUS_LOST, why);
            }
        }
    }

    /// Every task is gone, and the spool, if it was on a disk, still names them.
    public void reboot(boolean spoolLost) {
        if (spoolLost) {
            spool.clear();
            leaseUntil = OptionalLong.empty();
            spools++;
            lives = 0;
        }
        killTasks("the node was rebooted");
        boot++;
        bootedAt = millis.getAsLong();
    }

    @Override
    public OptionalLong read() {
        return leaseUntil;
    }

    @Override
    public void write(long until) {
        leaseUntil = OptionalLong.of(until);
    }

    @Override
    public void remove() {
        leaseUntil = OptionalLong.empty();
    }
}
