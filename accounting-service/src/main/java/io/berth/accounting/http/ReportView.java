package io.berth.accounting.http;

import io.berth.accounting.db.PeriodUsage;
import java.util.List;

/// What was used in a time. The charge of jobs is in billing units × seconds, all else in resources
/// × seconds.
///
/// @param start and
/// @param end bound the time, in epoch milliseconds
public record ReportView(long start, long end, List<PeriodUsage> usage) {}
