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
    /// Its jobs may start before it, end after it, and use other nodes too.
    FLEX,
    /// Its nodes are named. Those of every reservation are once it is made.
    SPEC_NODES
}
