package io.berth.core.fairshare;

import io.berth.contracts.Charge;
import io.berth.contracts.Spending;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.PriorityRules.UsageReset;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.TemporalAdjusters;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;

/// How usage is forgotten: continuously, by a half-life, and all of it whenever a period begins.
///
/// Times are epoch milliseconds. Periods begin at midnight UTC, weeks on Sunday.
///
/// @param since what was used before counts nothing
///
///   Source: slurm.conf(5), PriorityDecayHalfLife and PriorityUsageResetPeriod.
public record Decay(HalfLife halfLife, UsageReset reset, long since) {

    /// Nothing is ever forgotten.
    public static final Decay NONE = of(new HalfLife(0), UsageReset.NONE);

    /// By a half-life alone.
    public static Decay of(HalfLife halfLife) {
        return of(halfLife, UsageReset.NONE);
    }

    /// By a half-life and by periods.
    public static Decay of(HalfLife halfLife, UsageReset reset) {
        return new Decay(halfLife, reset, Long.MIN_VALUE);
    }

    /// As the cluster has set it.
    public static Decay of(Cluster cluster) {
        return of(
                HalfLife.ofSeconds(cluster.usageHalfLifeSeconds()),
                cluster.priorityRules().usageReset());
    }

    /// The same, with nothing left of what was used before that time.
    public Decay since(long time) {
        return new Decay(halfLife, reset, time);
    }

    /// What is left at `to` of usage that counted whole at `from`; all of it if `to` is not later.
    public long left(long usage, long from, long to) {
        return periodBegan(to) > from ? 0 : halfLife.decay(usage, to - from);
    }

    /// What is left, at the end, of usage spread evenly over that time.
    public long accrued(long usage, long from, long to) {
        long began = periodBegan(to);
        if (began <= from) {
            return halfLife.accrue(usage, to - from);
        }
        long part = Math.round(usage * ((double) (to - began) / (to - from)));
        return halfLife.accrue(part, to - began);
    }

    /// What is left at `to` of each part of what counted whole at `from`.
    public Spending left(Spending spending, long from, long to) {
        return each(spending, part -> left(part, from, to));
    }

    /// What is left, at the end, of each part of what was used evenly over that time.
    public Spending accrued(Spending spending, long from, long to) {
        return each(spending, part -> accrued(part, from, to));
    }

    private static Spending each(Spending spending, LongUnaryOperator change) {
        Charge charge = spending.charge();
        return new Spending(
                new Charge(
                        change.applyAsLong(charge.cpuMillis()),
                        change.applyAsLong(charge.memoryMibMillis()),
                        change.applyAsLong(charge.gpuMillis()),
                        change.applyAsLong(charge.nodeMillis()),
                        change.applyAsLong(charge.billingMicros()),
                        charge.gpuTypeMillis().entrySet().stream()
                                .collect(
                                        Collectors.toMap(
                                                Map.Entry::getKey,
                                                it -> change.applyAsLong(it.getValue())))),
                change.applyAsLong(spending.wallMillis()));
    }

    /// When the period began that this time lies in.
    private long periodBegan(long time) {
        long began = resetBefore(time);
        return since <= time ? Math.max(began, since) : began;
    }

    private long resetBefore(long time) {
        LocalDate day = LocalDate.ofInstant(Instant.ofEpochMilli(time), ZoneOffset.UTC);
        return switch (reset) {
            case NONE -> Long.MIN_VALUE;
            case DAILY -> millis(day);
            case WEEKLY -> millis(day.with(TemporalAdjusters.previousOrSame(DayOfWeek.SUNDAY)));
            case MONTHLY -> millis(day.withDayOfMonth(1));
            case QUARTERLY ->
                    millis(day.withDayOfMonth(1).withMonth((day.getMonthValue() - 1) / 3 * 3 + 1));
            case YEARLY -> millis(day.withDayOfYear(1));
        };
    }

    private static long millis(LocalDate day) {
        return day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
    }
}
