package io.berth.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What Slurm's commands beside `sbatch`, `srun` and `salloc` understand, by name.
///
/// Source: the manual pages of Slurm 22.05, "OPTIONS" and "COMMANDS"; `squeue --notme` came with
/// 24.05.
final class SlurmCommands {

    /// Long options by command.
    static final Map<String, List<String>> OPTIONS = new LinkedHashMap<>();

    /// What follows `scontrol`.
    static final List<String> SCONTROL_VERBS =
            words(
                    """
                    abort cancel_reboot cluster completing create delete errnumstr exit
                    fsdampeningfactor help hold listpids notify pidinfo ping power quit reboot
                    reconfigure release requeue requeuehold resume schedloglevel setdebug
                    setdebugflags show shutdown suspend takeover token top uhold update version
                    wait_job write
                    """);

    /// What follows `scontrol show`.
    static final List<String> SCONTROL_SHOW =
            words(
                    """
                    aliases assoc_mgr bbstat burstbuffer config daemons dwstat federation hostlist
                    hostlistsorted hostnames job licenses node partition reservation slurmd step
                    topology
                    """);

    /// What follows `sacctmgr`.
    static final List<String> SACCTMGR_VERBS =
            words(
                    """
                    add archive clear create delete dump help list load modify reconfigure remove
                    show shutdown update version
                    """);

    /// What follows `sacctmgr show`.
    static final List<String> SACCTMGR_SHOW =
            words(
                    """
                    account association cluster configuration event federation problem qos
                    reservation resource RunawayJobs stats transaction tres user wckey
                    """);

    /// What follows `sreport`.
    static final List<String> SREPORTS =
            List.of(
                    "cluster AccountUtilizationByUser",
                    "cluster UserUtilizationByAccount",
                    "cluster UserUtilizationByWCKey",
                    "cluster Utilization",
                    "cluster WCKeyUtilizationByUser",
                    "job SizesByAccount",
                    "job SizesByAccountAndWCKey",
                    "job SizesByWCKey",
                    "reservation Utilization",
                    "user TopUsage");

    static {
        put(
                "squeue",
                """
                account all array array-unique clusters federation format Format help hide iterate
                jobs json licenses local long me name noconvert nodelist noheader notme partition
                priority qos reservation sibling sort start states steps usage user verbose version yaml
                """);
        put(
                "scancel",
                """
                account batch clusters ctld full help hurry interactive me name nodelist partition
                qos quiet reservation sibling signal state usage user verbose version wckey
                """);
        put(
                "sinfo",
                """
                all clusters dead exact federation format Format help hide iterate json list-reasons
                local long Node noconvert nodes noheader partition reservation responding sort
                states summarize usage verbose version yaml
                """);
        put(
                "sacct",
                """
                accounts allclusters allocations allusers array associations batch-script brief
                clusters completion constraints delimiter duplicates endtime env-vars federation
                file flags format gid group help helpformat jobs json local long name ncpus nnodes
                noconvert nodelist noheader parsable parsable2 partition qos reason starttime state
                timelimit-max timelimit-min truncate uid units usage use-local-uid user verbose
                version wckeys whole-hetjob yaml
                """);
        put(
                "scontrol",
                """
                all clusters details federation future help hide json local oneliner quiet
                sibling uid verbose version yaml
                """);
        put(
                "sprio",
                """
                clusters federation format help jobs local long noheader norm partition sibling sort
                usage user verbose version weights
                """);
        put(
                "sshare",
                """
                accounts all clusters format help helpformat long noheader parsable parsable2
                partition usage users Users verbose version
                """);
        put(
                "sreport",
                """
                all_clusters cluster federation help local noheader parsable parsable2 quiet time
                tres verbose version
                """);
        put(
                "sacctmgr",
                """
                associations help immediate noheader oneliner parsable parsable2 quiet readonly
                verbose version
                """);
        put(
                "sdiag",
                """
                all cluster help json reset sort-by-id sort-by-time sort-by-time2 usage version yaml
                """);
        put(
                "sstat",
                """
                allsteps format help helpformat jobs noconvert noheader parsable parsable2 pidformat
                usage verbose version
                """);
        put(
                "sattach",
                """
                error-filter help input-filter label layout output-filter pty quiet usage verbose
                version
                """);
        put(
                "sbcast",
                """
                compress exclude fanout force help jobid preserve send-libs size timeout usage
                verbose version
                """);
        put(
                "strigger",
                """
                backup_slurmctld_assumed_control backup_slurmctld_failure
                backup_slurmctld_resumed_operation block_err burst_buffer clear clusters down
                drained fail fini flags front_end get help id idle jobid node noheader offset
                primary_database_failure primary_database_resumed_operation
                primary_slurmctld_acct_buffer_full primary_slurmctld_failure
                primary_slurmctld_resumed_control primary_slurmctld_resumed_operation
                primary_slurmdbd_failure primary_slurmdbd_resumed_operation program quiet reconfig
                set time up usage user verbose version
                """);
    }

    private SlurmCommands() {}

    private static void put(String command, String options) {
        OPTIONS.put(command, words(options));
    }

    private static List<String> words(String text) {
        return List.of(text.strip().split("\\s+"));
    }
}
