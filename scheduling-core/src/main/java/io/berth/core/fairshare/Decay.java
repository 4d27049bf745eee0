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
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;

/// How usage is forgotten: continuously, by a half-life, and all of it whenever a period begins.
///
/// Each rule holds from its time on, so that what was forgotten by one stays so under the next.
/// Times are epoch milliseconds. Periods begin at midnight UTC, weeks on Sunday.
///
/// @param rules at least one, in the order of their times; the first holds for all time before, too
/// @param since what was used before counts nothing
///
///   Source: slurm.conf(5), PriorityDecayHalfLife and PriorityUsageResetPeriod.
public record Decay(List<Rule> rules, long since) {

    /// Nothing is ever forgotten.
    public static final Decay NONE = of(new HalfLife(0), UsageReset.NONE);

    /// How usage is forgotten from some time on.
    public record Rule(long from, HalfLife halfLife, UsageReset reset) {

        /// What is left at `to` of usage that counted whole at `from`.
        private long left(long usage, long from, long to) {
            return periodBegan(to) > from ? 0 : halfLife.decay(usage, to - from);
        }

        /// When the period began that this time lies in.
        private long periodBegan(long time) {
            LocalDate day = LocalDate.ofInstant(Instant.ofEpochMilli(time), ZoneOffset.UTC);
            return switch (reset) {
                case NONE -> Long.MIN_VALUE;
                case DAILY -> millis(day);
                case WEEKLY -> millis(day.with(TemporalAdjusters.previousOrSame(DayOfWeek.SUNDAY)));
                case MONTHLY -> millis(day.withDayOfMonth(1));
                case QUARTERLY ->
                        millis(
                                day.withDayOfMonth(1)
                                        .withMonth((day.getMonthValue() - 1) / 3 * 3 + 1));
                case YEARLY -> millis(day.withDayOfYear(1));
            };
        }

        private static long millis(LocalDate day) {
            return day.atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
        }
    }

    public Decay {
        rules = List.copyOf(rules);
        if (rules.isEmpty()) {
            throw new IllegalArgumentException("a decay without a rule");
        }
    }

    /// By a half-life alone.
    public static Decay of(HalfLife halfLife) {
        return of(halfLife, UsageReset.NONE);
    }

    /// By a half-life and by periods.
    public static Decay of(HalfLife halfLife, UsageReset reset) {
        return of(List.of(new Rule(Long.MIN_VALUE, halfLife, reset)));
    }

    /// By one rule after the other.
    public static Decay of(List<Rule> rules) {
        return new Decay(rules, Long.MIN_VALUE);
    }

    /// As the cluster has set it.
    public static Decay of(Cluster cluster) {
        return of(
                HalfLife.ofSeconds(cluster.usageHalfLifeSeconds()),
                cluster.priorityRules().usageReset());
    }

    /// The same, with nothing left of what was used before that time.
    public Decay since(long time) {
        return new Decay(rules, time);
    }

    /// What is left at `to` of usage that counted whole at `from`; all of it if `to` is not later.
    public long left(long usage, long from, long to) {
        if (from < since && since <= to) {
            return 0;
        }
        long left = usage;
        for (int i = 0; i < rules.size(); i++) {
            long begins = Math.max(from, begins(i));
            long ends = Math.min(to, ends(i));
            if (begins < ends) {
                left = rules.get(i).left(left, begins, ends);
            }
        }
        return left;
    }

    /// What is left, at the end, of usage spread evenly over that time.
    public long accrued(long usage, long from, long to) {
        if (from >= to) {
            return usage;
        }
        long counted = since <= to ? Math.max(from, since) : from;
        long left = 0;
        for (int i = 0; i < rules.size(); i++) {
            Rule rule = rules.get(i);
            long begins = Math.max(counted, begins(i));
            long ends = Math.min(to, ends(i));
            if (begins < ends) {
                long kept = Math.max(begins, rule.periodBegan(ends));
                double part = (double) (ends - kept) / (to - from);
                left =
                        rule.left(left, begins, ends)
                                + rule.halfLife().accrue(Math.round(usage * part), ends - kept);
            }
        }
        return left;
    }

    private long begins(int rule) {
        return rule == 0 ? Long.MIN_VALUE : rules.get(rule).from();
    }

    private long ends(int rule) {
        return rule == rules.size() - 1 ? Long.MAX_VALUE : rules.get(rule + 1).from();
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
}
