package io.berth.cli;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// Where our outputs differ from a real Slurm's on purpose, and why.
final class GoldenDifferences {

    /// @param files it is for
    /// @param slurms what Slurm prints
    /// @param ours what we print in its place
    record Text(Pattern files, Pattern slurms, Function<MatchResult, String> ours, String why) {

        static Text of(String files, String slurms, String ours, String why) {
            return of(files, slurms, found -> filled(ours, found), why);
        }

        static Text of(
                String files, String slurms, Function<MatchResult, String> ours, String why) {
            return new Text(
                    Pattern.compile(files), Pattern.compile(slurms, Pattern.MULTILINE), ours, why);
        }

        private static String filled(String ours, MatchResult found) {
            String filled = ours;
            for (int group = 1; group <= found.groupCount(); group++) {
                filled = filled.replace("$" + group, found.group(group));
            }
            return java.util.regex.Matcher.quoteReplacement(filled);
        }
    }

    /// Of the fields of a `--json`, or the columns of a table.
    ///
    /// @param left those that only Slurm has
    /// @param own those that only we have
    /// @param other those whose values differ
    record Fields(Set<String> left, Set<String> own, Set<String> other) {}

    private static final String JOB = "scontrol-job-.*";
    private static final String NODE = "scontrol-node.*";

    static final List<Text> TEXTS =
            List.of(
                    Text.of(
                            JOB,
                            "UserId=(\\w+)\\(\\d+\\) GroupId=\\w+\\(\\d+\\)",
                            found -> {
                                String id = Accounts.ofMachine().idOf(found.group(1));
                                return "UserId=%1$s(%2$s) GroupId=%1$s(%2$s)"
                                        .formatted(found.group(1), id);
                            },
                            "ids are those of the machine that asks"),
                    Text.of(
                            JOB,
                            "AllocNode:Sid=localhost:\\d+",
                            "AllocNode:Sid=localhost:0",
                            "a login's session is not recorded"),
                    Text.of(
                            JOB,
                            "Scheduler=Backfill",
                            "Scheduler=Main",
                            "one engine starts all jobs"),
                    Text.of(
                            JOB,
                            "LastSchedEval=2026-11-20T10:00:58",
                            "LastSchedEval=Unknown",
                            "when a waiting job was last looked at is not recorded"),
                    Text.of(
                            JOB,
                            "^   DerivedExitCode=0:0\n",
                            "",
                            "the gateway does not know the exit codes of steps; sacct does"),
                    Text.of(
                            JOB,
                            "(GRES=)gpu:a100:(\\d+)",
                            "$1gpu:$2",
                            "the type is told where the job asked for it"),
                    Text.of(
                            NODE,
                            "\\(S:0-1\\),mps:a100:800\\(S:0-1\\)|,mps:a100:0\\(IDX:N/A\\)",
                            "",
                            "sockets of GPUs are not told, and parts only of GPUs that are shared"),
                    Text.of(
                            "scontrol-(node|partition).*",
                            ",gres/mps=\\d+",
                            "",
                            "parts are counted of GPUs that are shared"),
                    Text.of(
                            "sinfo-O-gres.txt",
                            "\\(S:0-1\\),mps:a100:800gpu:a100:8\\(IDX:0-7\\),mps:a100:0\\(IDX:N/A\\)",
                            " ".repeat(20) + "gpu:a100:8(IDX:0-7)" + " ".repeat(20),
                            "sockets of GPUs are not told, and parts only of GPUs that are shared"),
                    Text.of(
                            "sinfo-o-gres.txt",
                            "\\(S:0-1\\),mps:a100:800\\(S:0-1\\)",
                            "",
                            "sockets of GPUs are not told, and parts only of GPUs that are shared"),
                    Text.of(
                            "sinfo-o-gres.txt",
                            "^(HOSTNAMES|vm) ",
                            "",
                            "the recorded nodes are all on one host"),
                    Text.of(
                            "scontrol-node-o.txt",
                            "^NodeName=(node\\d\\d)(.*) NodeAddr=127.0.0.1 NodeHostName=vm Port=\\d+",
                            "NodeName=$1$2 NodeAddr=$1 NodeHostName=$1",
                            "an agent has no port: it asks the log"),
                    Text.of(
                            "scontrol-node(-d)?.txt",
                            "NodeAddr=127.0.0.1 NodeHostName=vm Port=\\d+",
                            "NodeAddr=node01 NodeHostName=node01",
                            "an agent has no port: it asks the log"),
                    Text.of(
                            NODE,
                            "(@0) +($|RealMemory)",
                            found -> found.group(2).isEmpty() ? "@0" : "@0 RealMemory",
                            "the system's name is told without blanks at its end"),
                    Text.of(
                            NODE,
                            "BootTime=\\S+ SlurmdStartTime=\\S+",
                            "BootTime=None SlurmdStartTime=None",
                            "when a node and its agent were started is not recorded"),
                    Text.of(
                            NODE,
                            "LastBusyTime=\\S+",
                            "LastBusyTime=Unknown",
                            "until when a node was busy is not recorded"),
                    Text.of(
                            "scontrol-node-o.txt",
                            "ExtSensorsTemp=n/s",
                            "ExtSensorsTemp=n/s Isolation=NONE",
                            "what keeps jobs to their share is told"),
                    Text.of(
                            "scontrol-node(-d)?.txt",
                            "ExtSensorsTemp=n/s",
                            "ExtSensorsTemp=n/s\n   Isolation=NONE",
                            "what keeps jobs to their share is told"),
                    Text.of(
                            "seed-sshare-al.txt",
                            "^(.{115}).*$",
                            "$1",
                            "limits in minutes and what is spent of them: berth share budget"),
                    Text.of(
                            "seed-sshare-alP.txt",
                            "\\|[^|\n]*\\|[^|\n]*$",
                            "",
                            "limits in minutes and what is spent of them: berth share budget"),
                    Text.of(
                            "squeue-start.txt",
                            "^        1022_\\[1-4\\](.*)$",
                            "            1022_1$1\n            1022_2$1\n            1022_3$1\n            1022_4$1",
                            "each task of an array has its own place in the plan"),
                    Text.of(
                            "sacct-tres.txt",
                            "00:00:16",
                            "00:00:12",
                            "it was made four seconds after the table of all columns"),
                    Text.of(
                            "sacct-(a|b|tres).txt",
                            "^1010\\.0 .*\n",
                            "",
                            "the line of its job was cut off"));

    /// Names of settings and figures that only we have.
    static final Set<String> OWN_TITLES =
            Set.of(
                    // sdiag
                    "Queue health: ",
                    "\tPlanned jobs: ",
                    "Log statistics (microseconds):",
                    "\tMax write: ",
                    "\tMean write: ",
                    "\tUnread records: ",
                    // sacct -e; Planned is the later name of Reserved
                    "Charge",
                    "GPUs",
                    "LostGPUTime",
                    "Planned",
                    "PlannedCPU",
                    "PlannedCPURAW",
                    "PreemptedBy",
                    "PreemptMode",
                    "PreemptReason",
                    "Restarts",
                    "Runs");

    static final Map<String, Fields> FIELDS =
            Map.of(
                    // What was asked for by GPU is told as what it comes to.
                    "squeue.json",
                    new Fields(
                            Set.of(
                                    "association_id",
                                    "billable_tres",
                                    "container",
                                    "cpus_per_tres",
                                    "derived_exit_code",
                                    "flags",
                                    "gres_detail",
                                    "job_resources",
                                    "memory_per_tres",
                                    "show_flags",
                                    "tasks_per_node",
                                    "tres_bind",
                                    "tres_per_job",
                                    "tres_per_task"),
                            Set.of("berth", "elapsed"),
                            Set.of(
                                    "array_max_tasks",
                                    "array_task_id",
                                    "array_task_string",
                                    "cluster",
                                    "cpus_per_task",
                                    "group_id",
                                    "last_sched_evaluation",
                                    "max_nodes",
                                    "memory_per_node",
                                    "minimum_cpus_per_node",
                                    "nice",
                                    "tres_req_str",
                                    "user_id")),
                    "sinfo.json",
                    new Fields(
                            Set.of(
                                    "boot_time",
                                    "last_busy",
                                    "next_state_after_reboot",
                                    "next_state_after_reboot_flags",
                                    "port",
                                    "slurmd_start_time",
                                    "tres_weighted"),
                            Set.of("berth"),
                            Set.of("address", "gres", "gres_used", "hostname", "tres")),
                    "sacct.json",
                    new Fields(
                            // What the books do not know or count.
                            Set.of(
                                    "priority",
                                    "steps/CPU",
                                    "steps/statistics",
                                    "steps/time/system",
                                    "steps/time/user",
                                    "steps/tres/consumed",
                                    "steps/tres/requested",
                                    "time/system",
                                    "time/user",
                                    "working_directory"),
                            Set.of("berth"),
                            // A cluster has one name. Tasks that wait are told one by one, and what
                            // was cancelled has not failed; what energy was not measured is not
                            // told.
                            Set.of(
                                    "array/job_id",
                                    "array/task",
                                    "association/cluster",
                                    "cluster",
                                    "flags",
                                    "required/memory",
                                    "reservation/name",
                                    "steps/state",
                                    "time/start",
                                    "tres/allocated")),
                    // What the books do not know is empty, as what was not measured. A job that was
                    // cancelled while it waited has not started.
                    "sacct-all-P.txt",
                    new Fields(
                            Set.of(),
                            Set.of(),
                            Set.of(
                                    "AssocID",
                                    "AveCPUFreq",
                                    "Cluster",
                                    "ConsumedEnergy",
                                    "ConsumedEnergyRaw",
                                    "DBIndex",
                                    "Flags",
                                    "GID",
                                    "Layout",
                                    "Priority",
                                    "QOSRAW",
                                    "ReqCPUFreq",
                                    "ReqCPUFreqGov",
                                    "ReqCPUFreqMax",
                                    "ReqCPUFreqMin",
                                    "ResvCPU",
                                    "ResvCPURAW",
                                    "Start",
                                    "SubmitLine",
                                    "SystemCPU",
                                    "TotalCPU",
                                    "UID",
                                    "UserCPU",
                                    "WCKeyID",
                                    "WorkDir")));

    private GoldenDifferences() {}

    /// The recorded lines as we would print them.
    static List<String> of(String file, List<String> recorded) {
        String ours = String.join("\n", recorded) + "\n";
        for (Text difference : TEXTS) {
            if (difference.files().matcher(file).matches()) {
                ours = difference.slurms().matcher(ours).replaceAll(difference.ours());
            }
        }
        return ours.lines().toList();
    }
}
