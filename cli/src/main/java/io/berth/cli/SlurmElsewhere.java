package io.berth.cli;

import java.util.Map;

/// Where Berth is told what no cluster file tells: for each setting of Slurm's files that has a
/// counterpart in an agent or a service, or needs none, one line that says so.
///
/// Source: slurm.conf(5) and cgroup.conf(5) of Slurm 22.05.
final class SlurmElsewhere {

    static final String AGENTS = "a node tells what it has when its agent registers";
    static final String UNKNOWN = "Berth knows no such setting";

    private static final String LOGS = "services log to standard output";
    private static final String NO_POWER = "none: Berth switches no nodes off or on";
    private static final String KAFKA = "services and agents meet in Kafka";
    private static final String SYSTEMD = "agents need no systemd to make groups";
    private static final String KERNEL_MEMORY =
            "the kernel counts its own memory for a job with the rest";
    private static final String WHOLE_LIMIT =
            "a job's limit is the memory that it was given, no more and no less";

    private static final Map<String, String> IN_SLURM_CONF =
            Map.ofEntries(
                    Map.entry("accountingstoragehost", "accounting is a service of the mesh"),
                    Map.entry(
                            "accountingstorageenforce",
                            "as associations,limits,qos; budgets as safe"),
                    Map.entry(
                            "accountingstoragetres",
                            "cpu, mem, node, billing and GPUs always count"),
                    Map.entry("authtype", "users are known by tokens, see docs/api.md"),
                    Map.entry("autodetect", AGENTS),
                    Map.entry("downnodes", "scontrol update NodeName=… State=DOWN Reason=…"),
                    Map.entry("enforcepartlimits", "a job that no partition can take is refused"),
                    Map.entry("epilog", "berth.agent.epilog of the agents"),
                    Map.entry(
                            "epilogslurmctld",
                            "none: berth.agent.epilog runs on each node of a job"),
                    Map.entry("grestypes", "any name that a node has will do"),
                    Map.entry("healthcheckinterval", "berth.agent.health-interval of the agents"),
                    Map.entry("healthchecknodestate", "berth.agent.health-when of the agents"),
                    Map.entry("healthcheckprogram", "berth.agent.health-program of the agents"),
                    Map.entry("jobacctgatherfrequency", "agents measure at intervals of their own"),
                    Map.entry(
                            "jobsubmitplugins",
                            "none: what jobs may ask for, partitions, accounts and QOS say"),
                    Map.entry("killwait", "30 s; where no order says it, berth.agent.kill-grace"),
                    Map.entry("maildomain", "berth.submit.mail-domain of the gateways"),
                    Map.entry("mailprog", "gateways send mail: berth.submit.mail-from"),
                    Map.entry("maxarraysize", "berth.submit.max-array-size of the gateways"),
                    Map.entry("maxjobcount", "berth.submit.max-jobs of the gateways"),
                    Map.entry("prolog", "berth.agent.prolog of the agents"),
                    Map.entry(
                            "prologslurmctld",
                            "none: berth.agent.prolog runs on each node of a job"),
                    Map.entry("resumefailprogram", NO_POWER),
                    Map.entry("resumeprogram", NO_POWER),
                    Map.entry("resumerate", NO_POWER),
                    Map.entry("resumetimeout", NO_POWER),
                    Map.entry("slurmctldhost", "the mesh finds its services by their addresses"),
                    Map.entry("slurmctldlogfile", LOGS),
                    Map.entry("slurmctldport", KAFKA),
                    Map.entry("slurmctldtimeout", "a successor is elected after 2 s"),
                    Map.entry("slurmdlogfile", LOGS),
                    Map.entry("slurmdport", KAFKA),
                    Map.entry("slurmdspooldir", "berth.agent.home of the agents"),
                    Map.entry("slurmdtimeout", "berth.placement.node-timeout"),
                    Map.entry("slurmuser", "a service runs as who starts it"),
                    Map.entry("srunepilog", "none: srun runs its program alone"),
                    Map.entry("srunprolog", "none: srun runs its program alone"),
                    Map.entry("statesavelocation", "the state of the mesh is in Kafka"),
                    Map.entry("suspendexcnodes", NO_POWER),
                    Map.entry("suspendexcparts", NO_POWER),
                    Map.entry("suspendprogram", NO_POWER),
                    Map.entry("suspendrate", NO_POWER),
                    Map.entry("suspendtime", NO_POWER),
                    Map.entry("suspendtimeout", NO_POWER),
                    Map.entry(
                            "taskepilog",
                            "none: what is to follow a task, the script of a job does"),
                    Map.entry("taskplugin", "agents bind tasks with cgroups"),
                    Map.entry(
                            "taskprolog",
                            "none: what tasks are to find, the script of a job exports"));

    private static final Map<String, String> IN_CGROUP_CONF =
            Map.ofEntries(
                    Map.entry("allowedkmemspace", KERNEL_MEMORY),
                    Map.entry(
                            "allowedramspace",
                            "AllowedRAMSpace is the agent's berth.agent.memory.allowed-ram-space"),
                    Map.entry(
                            "allowedswapspace",
                            "AllowedSwapSpace is the agent's berth.agent.memory.allowed-swap-space"),
                    Map.entry(
                            "alloweddevicesfile",
                            "a job may open the usual devices, and the GPUs and others that it was given"),
                    Map.entry("cgroupautomount", "agents use the groups that the host has mounted"),
                    Map.entry("cgroupmountpoint", "agents find groups where the host has them"),
                    Map.entry("cgroupplugin", "agents find out which versions the host has"),
                    Map.entry("cgroupreleaseagentdir", "agents remove groups themselves"),
                    Map.entry("constraincores", always("cpuset")),
                    Map.entry("constraindevices", always("devices")),
                    Map.entry("constrainkmemspace", KERNEL_MEMORY),
                    Map.entry("constrainramspace", always("memory")),
                    Map.entry(
                            "constrainswapspace",
                            "agents always do, with a job's memory, where the kernel counts swap"),
                    Map.entry("ignoresystemd", SYSTEMD),
                    Map.entry("ignoresystemdonfailure", SYSTEMD),
                    Map.entry("maxkmempercent", KERNEL_MEMORY),
                    Map.entry(
                            "maxrampercent",
                            "MaxRAMPercent is the agent's berth.agent.memory.max-ram-percent"),
                    Map.entry(
                            "maxswappercent",
                            "MaxSwapPercent is the agent's berth.agent.memory.max-swap-percent"),
                    Map.entry(
                            "memoryswappiness",
                            "MemorySwappiness is the agent's berth.agent.memory.swappiness"),
                    Map.entry("minkmemspace", KERNEL_MEMORY),
                    Map.entry("minramspace", WHOLE_LIMIT),
                    Map.entry("taskaffinity", "tasks are bound as --cpu-bind says"));

    private static final Map<String, String> OF_NODES =
            Map.of(
                    "corespeccount", "CoreSpecCount is the agent's berth.agent.reserved-cpus",
                    "cpuspeclist", "CpuSpecList is the agent's berth.agent.reserved-cpus",
                    "memspeclimit", "MemSpecLimit is the agent's berth.agent.reserved-memory",
                    "feature", "features are given by scontrol update NodeName=… Features=…",
                    "features", "features are given by scontrol update NodeName=… Features=…");

    private SlurmElsewhere() {}

    private static String always(String isolation) {
        return "agents always do where the host can; berth.agent.required-isolation="
                + isolation
                + " lets none start where it cannot";
    }

    /// @param key in small letters
    static String why(String key) {
        return IN_CGROUP_CONF.getOrDefault(key, IN_SLURM_CONF.getOrDefault(key, UNKNOWN));
    }

    /// Of DebugFlags.
    static String debugFlag(String name) {
        return name.equalsIgnoreCase("cpu_bind") || name.equalsIgnoreCase("gres")
                ? "the agents' log tells it by its category BERTH_BINDINGS, see docs/operating.md"
                : LOGS;
    }

    /// Of SchedulerParameters.
    static String parameter(String name) {
        return switch (name) {
            case "bf_max_job_test" -> "berth.placement.bf-max-job-test";
            case "sched_min_interval" -> "berth.placement.sched-min-interval";
            default -> "Berth's backfill has settings of its own, see docs/scheduling.md";
        };
    }

    /// What a line on nodes says besides, each as the end of a sentence; "" is nothing.
    ///
    /// @param values of the line, by keys in small letters
    static String ofNodes(Map<String, String> values) {
        var told = new StringBuilder();
        values.keySet().stream()
                .filter(OF_NODES::containsKey)
                .forEach(it -> told.append("; ").append(OF_NODES.get(it)));
        return told.toString();
    }

    /// What is to be written for GPUs that Slurm gives out in parts.
    ///
    /// @param kind `mps` or `shard`
    /// @param nodes a host list
    static String shared(String kind, String nodes) {
        return "; GPUs of which jobs get parts are named in the cluster file: sharedGpus: {"
                + kind
                + ": {nodes: \""
                + nodes
                + "\", sharing: "
                + kind
                + "}}";
    }
}
