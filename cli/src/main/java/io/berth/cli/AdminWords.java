package io.berth.cli;

import io.berth.contracts.Limit;
import java.util.Map;

/// The words of `sacctmgr`, each with the least part of it that Slurm takes.
///
/// Source: sacctmgr(1) of Slurm 22.05, and how its commands read what they are given.
final class AdminWords {

    static final Keywords VERBS =
            Keywords.of(
                    """
                    Add:3 Create:3=add Show:3 List:3=show Modify:1 Update:1=modify Delete:3
                    Remove:3=delete Help:2 Version:4 Archive:3 Clear:3 Dump:3 Load:2 Reconfigure:4
                    Shutdown:4
                    """);

    /// What is changed.
    static final Keywords ENTITIES =
            Keywords.of(
                    "Accounts:1=account Acct:4=account Coordinators:2=coordinator QOS:1 Users:1=user");

    /// What is shown.
    static final Keywords SHOWN =
            Keywords.of(
                    """
                    Accounts:2=account Acct:4=account Associations:2=association Clusters:2=cluster
                    Configuration:2 Events:1=event Federations:1=federation Problems:1=problem QOS:1
                    Resources:4=resource Reservations:4=reservation Resv:4=reservation
                    RunawayJobs:2 Stats:1 Transactions:1=transaction Users:1=user TRES:2
                    WCKeys:1=wckey
                    """);

    private static final String LIMITS =
            """
             GrpJobs:4 GrpSubmitJobs:4 GrpTRES:7 GrpTRESMins:8 GrpTRESRunMins:8 GrpWall:4
             MaxJobsPerUser:4=maxjobs MaxJobsPerAccount:11 MaxSubmitJobsPerUser:4=maxsubmitjobs
             MaxSubmitJobsPerAccount:17 MaxTRESPerJob:7=maxtres MaxTRESPerNode:11
             MaxTRESPerUser:11 MaxTRESPerAccount:11 MaxTRESMinsPerJob:8=maxtresmins
             MaxWallDurationPerJob:4=maxwall MinTRESPerJob:7=mintres
            """;

    private static final String USUAL =
            " DefaultQOS:8 FairShare:1 Shares:1=fairshare Format:2 Priority:3 RawUsage:7";

    private static final Map<String, Keywords> KEYS =
            Map.of(
                    "account",
                    Keywords.of(
                            "Names:1=name Accounts:1=account Acct:4=account Description:1 Guarantee:2 Organization:1 QosLevel:1=qos"
                                    + USUAL
                                    + " Parent:1"
                                    + LIMITS),
                    "user",
                    Keywords.of(
                            "Names:1=name Users:1=user Accounts:2=account Acct:4=account AdminLevel:2 DefaultAccount:8 QosLevel:1=qos"
                                    + USUAL
                                    + " Partitions:3=partition"
                                    + LIMITS),
                    "qos",
                    Keywords.of(
                            "Names:1=name QosLevel:1=qos Description:1 Flags:2 Format:1 GraceTime:3 PreemptMode:8 PreemptExemptTime:8 Preempt:7 Priority:3 RawUsage:7 UsageFactor:6"
                                    + LIMITS),
                    "coordinator",
                    Keywords.of("Names:1=name Users:1=user Accounts:1=account Acct:4=account"));

    /// Of what is shown.
    private static final Keywords CONDITIONS =
            Keywords.of(
                    "Names:1=name Users:1=user Accounts:1=account Acct:4=account Format:1 Partitions:3=partition QosLevel:1=qos Types:1=type");

    private AdminWords() {}

    /// The full name of a condition or a setting of a change, in small letters. A limit keeps the
    /// name that is its own.
    static String key(String entity, String given) {
        Keywords keys = KEYS.get(entity);
        return keys == null || Limit.find(given).isPresent() ? given : keys.full(given);
    }

    /// The full name of a condition on what is shown, in small letters.
    static String condition(String given) {
        return CONDITIONS.full(given);
    }
}
