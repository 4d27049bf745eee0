package io.berth.contracts.event;

/// How a reservation is meant, by Slurm's names.
///
/// Source: scontrol(1), "Flags" of a reservation.
public enum ReservationFlag {
    /// The nodes are shown as in maintenance, and it may lie over other reservations.
    MAINT,
    /// It is made though jobs run on its nodes that may last into it.
    IGNORE_JOBS,
    /// It may lie over other reservations.
    OVERLAP,
    /// It comes again every day.
    DAILY,
    /// It comes again every week.
    WEEKLY,
    /// It comes again from Monday to Friday, by UTC.
    WEEKDAY,
    /// It comes again on Saturday and Sunday, by UTC.
    WEEKEND,
    /// Jobs that may use it do so without naming it.
    MAGNETIC,
    /// Its jobs may use other nodes too, while it is on.
    ANY_NODES,
    /// Jobs that wait for it when it is over may run elsewhere.
    NO_HOLD_JOBS_AFTER,
    /// It goes when none of its jobs has run for a while.
    PURGE_COMP,
    /// Nodes that are down, drained or held by a job are replaced by others.
    REPLACE,
    /// Nodes that are down or drained are replaced by others.
    REPLACE_DOWN,
    /// Its jobs may start before it, end after it, and use other nodes too.
    FLEX,
    /// Its nodes are named. Those of every reservation are once it is made.
    SPEC_NODES
}
