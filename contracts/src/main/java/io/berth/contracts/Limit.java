package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// A kind of limit on what jobs may use, by Slurm's names.
///
/// `Grp…` bounds all jobs of an association and what is below it, or of a QOS, together. The limits
/// of users and of accounts exist in a QOS only; `MaxJobs` and `MaxSubmitJobs` of a QOS are those
/// of each user.
///
/// Source: sacctmgr(1), "SPECIFICATIONS FOR ACCOUNTS, USERS" and "SPECIFICATIONS FOR QOS".
public enum Limit {
    GRP_JOBS("GrpJobs", Unit.COUNT, Level.BOTH),
    GRP_SUBMIT_JOBS("GrpSubmitJobs", Unit.COUNT, Level.BOTH, "GrpSubmit"),
    GRP_TRES("GrpTRES", Unit.TRES, Level.BOTH),
    GRP_TRES_MINS("GrpTRESMins", Unit.TRES, Level.BOTH),
    GRP_TRES_RUN_MINS("GrpTRESRunMins", Unit.TRES, Level.BOTH),
    GRP_WALL("GrpWall", Unit.MINUTES, Level.BOTH),
    MAX_JOBS("MaxJobs", Unit.COUNT, Level.BOTH, "MaxJobsPU", "MaxJobsPerUser"),
    MAX_SUBMIT_JOBS(
            "MaxSubmitJobs", Unit.COUNT, Level.BOTH, "MaxSubmit", "MaxSubmitPU", "MaxSubmitJobsPU"),
    MAX_TRES("MaxTRES", Unit.TRES, Level.BOTH, "MaxTRESPJ", "MaxTRESPerJob"),
    MAX_TRES_PER_NODE("MaxTRESPerNode", Unit.TRES, Level.BOTH, "MaxTRESPN"),
    MAX_TRES_MINS("MaxTRESMins", Unit.TRES, Level.BOTH, "MaxTRESMinsPJ", "MaxTRESMinsPerJob"),
    MAX_WALL("MaxWall", Unit.MINUTES, Level.BOTH, "MaxWallPJ", "MaxWallDurationPerJob"),
    MAX_JOBS_PER_ACCOUNT("MaxJobsPerAccount", Unit.COUNT, Level.QOS, "MaxJobsPA"),
    MAX_SUBMIT_JOBS_PER_ACCOUNT(
            "MaxSubmitJobsPerAccount", Unit.COUNT, Level.QOS, "MaxSubmitPA", "MaxSubmitJobsPA"),
    MAX_TRES_PER_USER("MaxTRESPerUser", Unit.TRES, Level.QOS, "MaxTRESPU"),
    MAX_TRES_PER_ACCOUNT("MaxTRESPerAccount", Unit.TRES, Level.QOS, "MaxTRESPA"),
    MIN_TRES("MinTRES", Unit.TRES, Level.QOS, "MinTRESPJ", "MinTRESPerJob");

    /// What a limit's value is: a number of jobs, minutes, or an amount of each of some resources.
    public enum Unit {
        COUNT,
        MINUTES,
        TRES
    }

    private enum Level {
        QOS,
        BOTH
    }

    private final String slurmName;
    private final Unit unit;
    private final Level level;
    private final String aliases;

    Limit(String slurmName, Unit unit, Level level, String... aliases) {
        this.slurmName = slurmName;
        this.unit = unit;
        this.level = level;
        this.aliases = String.join(" ", aliases);
    }

    @JsonValue
    public String slurmName() {
        return slurmName;
    }

    public Unit unit() {
        return unit;
    }

    /// Whether only a QOS may have it.
    public boolean ofQosOnly() {
        return level == Level.QOS;
    }

    /// Whether it bounds a group of jobs, or each user's or account's jobs together, and so may be
    /// kept later by a job that breaks it now.
    public boolean passes() {
        return switch (this) {
            case MAX_TRES, MAX_TRES_PER_NODE, MAX_TRES_MINS, MAX_WALL, MIN_TRES -> false;
            case GRP_JOBS,
                    GRP_SUBMIT_JOBS,
                    GRP_TRES,
                    GRP_TRES_MINS,
                    GRP_TRES_RUN_MINS,
                    GRP_WALL,
                    MAX_JOBS,
                    MAX_SUBMIT_JOBS,
                    MAX_JOBS_PER_ACCOUNT,
                    MAX_SUBMIT_JOBS_PER_ACCOUNT,
                    MAX_TRES_PER_USER,
                    MAX_TRES_PER_ACCOUNT ->
                    true;
        };
    }

    /// The limit of that name or alias, in any case of its letters.
    public static Optional<Limit> find(String name) {
        String wanted = name.toLowerCase(Locale.ROOT);
        return Arrays.stream(values())
                .filter(it ->
                        Arrays.asList(
                                        (it.slurmName + " " + it.aliases)
                                                .toLowerCase(Locale.ROOT)
                                                .split(" "))
                                .contains(wanted))
                .findFirst();
    }

    /// The limit of exactly that name.
    ///
    /// @throws IllegalArgumentException if there is none
    @JsonCreator
    public static Limit of(String slurmName) {
        return find(slurmName)
                .orElseThrow(() -> new IllegalArgumentException("'" + slurmName + "' is no limit"));
    }
}
