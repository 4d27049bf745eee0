package io.berth.accounting.http;

import io.berth.accounting.BooksLoop;
import io.berth.accounting.ClusterConfiguration;
import io.berth.accounting.db.Balance;
import io.berth.accounting.db.JobRow;
import io.berth.accounting.db.PeriodCapacity;
import io.berth.accounting.db.PeriodOutcome;
import io.berth.accounting.db.PeriodUsage;
import io.berth.accounting.db.RunRow;
import io.berth.accounting.db.StepRow;
import io.berth.accounting.db.UsageNow;
import io.berth.accounting.db.UsageRow;
import io.berth.contracts.Charge;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.Usage;
import io.berth.core.fairshare.FairShare;
import io.berth.core.fairshare.Member;
import io.berth.core.fairshare.ShareTree;
import io.berth.core.request.Roles;
import io.berth.core.request.Sight;
import io.quarkus.hibernate.reactive.panache.common.WithSession;
import io.quarkus.panache.common.Sort;
import io.quarkus.security.Authenticated;
import io.smallrye.mutiny.Uni;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.ServiceUnavailableException;
import jakarta.ws.rs.core.Response;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.jspecify.annotations.Nullable;

/// The books over HTTP. Every user may read all of them but what is private ([Sight]).
@Path("/v1/accounting")
@Authenticated
public class AccountingResource {

    private final ClusterConfiguration configuration;
    private final Sights sights;
    private final BooksLoop books;

    AccountingResource(ClusterConfiguration configuration, Sights sights, BooksLoop books) {
        this.configuration = configuration;
        this.sights = sights;
        this.books = books;
    }

    /// Jobs by id, newest last.
    ///
    /// @param more whether there are more of them, older ones
    /// @param stepsLeftOut whether steps of older jobs are not told; null if none were asked for
    /// @param behind that events wait to be booked which are not of this moment; null if none do
    public record JobList(
            List<JobView> jobs,
            boolean more,
            @Nullable Boolean stepsLeftOut,
            @Nullable Boolean behind) {}

    /// The most steps in an answer.
    private static final int MOST_STEPS = 100_000;

    /// The jobs that match all that is given, the newest `limit` of them, by rising id.
    @GET
    @Path("jobs")
    @WithSession
    public Uni<JobList> jobs(
            @BeanParam JobQuery.Asked asked,
            @QueryParam("limit") @DefaultValue("10000") int limit,
            @QueryParam("steps") @DefaultValue("false") boolean steps)
            throws JobQuery.Refused {
        if (limit < 1 || limit > 100_000) {
            throw new JobQuery.Refused("limit: " + limit + " is not from 1 to 100000");
        }
        JobQuery query = JobQuery.of(asked).seenBy(sights.now());
        return JobRow.<JobRow>find(query.where(), Sort.descending("id"), query.parameters())
                .range(0, limit)
                .list()
                .chain(rows -> withRuns(rows, limit, steps));
    }

    private Uni<JobList> withRuns(List<JobRow> newestFirst, int limit, boolean withSteps) {
        boolean more = newestFirst.size() > limit;
        List<JobRow> jobs = newestFirst.subList(0, Math.min(limit, newestFirst.size())).reversed();
        if (jobs.isEmpty()) {
            return Uni.createFrom().item(list(List.of(), false, null));
        }
        List<Long> ids = jobs.stream().map(it -> it.id).toList();
        Uni<List<RunRow>> runs = RunRow.ofJobs(ids);
        if (!withSteps) {
            return runs.map(it -> list(views(jobs, it, null), more, null));
        }
        return runs.chain(all ->
                StepRow.ofJobs(ids, MOST_STEPS + 1)
                        .map(steps -> {
                            boolean leftOut = steps.size() > MOST_STEPS;
                            var told = leftOut ? steps.subList(0, MOST_STEPS) : steps;
                            return list(views(jobs, all, told), more, leftOut);
                        }));
    }

    private JobList list(List<JobView> jobs, boolean more, @Nullable Boolean stepsLeftOut) {
        return new JobList(jobs, more, stepsLeftOut, books.behind() ? true : null);
    }

    private List<JobView> views(
            List<JobRow> jobs, List<RunRow> runs, @Nullable List<StepRow> steps) {
        long now = Clock.systemUTC().millis();
        String cluster = configuration.inForce().map(it -> it.cluster().name()).orElse("");
        Map<Long, List<RunRow>> runsOf = runs.stream().collect(Collectors.groupingBy(it -> it.job));
        Map<Long, List<StepRow>> stepsOf =
                steps == null
                        ? Map.of()
                        : steps.stream().collect(Collectors.groupingBy(it -> it.job));
        return jobs.stream()
                .map(it ->
                        JobView.of(
                                it,
                                runsOf.getOrDefault(it.id, List.of()),
                                steps == null ? null : stepsOf.getOrDefault(it.id, List.of()),
                                cluster,
                                now))
                .toList();
    }

    /// What each user has used in each account.
    @GET
    @Path("usage")
    @WithSession
    public Uni<UsageView> usage() {
        long now = Clock.systemUTC().millis();
        Sight sight = sights.now();
        return UsageNow.query(configuration.decay(), now)
                .map(decayed ->
                        decayed.stream()
                                .filter(it -> sight.usage(it.account(), it.user()))
                                .toList())
                .chain(decayed ->
                        UsageRow.<UsageRow>listAll().map(whole -> view(whole, decayed, now)));
    }

    private static UsageView view(List<UsageRow> whole, List<Usage> decayed, long now) {
        Map<Member, Charge> charges = new TreeMap<>();
        whole.forEach(it -> charges.merge(it.member(), it.charge(), Charge::plus));
        var views = new ArrayList<UsageView.Row>();
        for (Usage usage : decayed) {
            Charge charge =
                    charges.getOrDefault(new Member(usage.account(), usage.user()), Charge.ZERO);
            views.add(
                    new UsageView.Row(
                            usage.account(),
                            usage.user(),
                            charge.billingMicros(),
                            charge.cpuMillis(),
                            charge.memoryMibMillis(),
                            charge.gpuMillis(),
                            charge.nodeMillis(),
                            usage.billingMicros()));
        }
        return new UsageView(now, views);
    }

    /// What runs held in a time, by account, user and type of GPU.
    @GET
    @Path("report")
    @WithSession
    public Uni<ReportView> report(
            @QueryParam("start") @Nullable Long start, @QueryParam("end") @Nullable Long end)
            throws JobQuery.Refused {
        long now = Clock.systemUTC().millis();
        long until = end == null ? now : end;
        long since = before(start, until);
        Sight sight = sights.now();
        return PeriodUsage.between(since, until, now)
                .map(rows ->
                        rows.stream().filter(it -> sight.usage(it.account(), it.user())).toList())
                .map(rows -> new ReportView(since, until, rows));
    }

    /// What runs held in each part of a time.
    @GET
    @Path("history")
    @WithSession
    public Uni<HistoryView> history(
            @QueryParam("start") @Nullable Long start,
            @QueryParam("end") @Nullable Long end,
            @QueryParam("step") @Nullable Long step)
            throws JobQuery.Refused {
        long now = Clock.systemUTC().millis();
        long until = end == null ? now : end;
        long since = before(start, until);
        long each = HistoryView.step(step, until - since);
        Sight sight = sights.now();
        return PeriodUsage.each(each, since, until, now)
                .map(periods -> HistoryView.of(since, until, each, periods, sight));
    }

    /// How jobs ended in each part of a time.
    ///
    /// @param step in seconds; a day if it is not given
    @GET
    @Path("outcomes")
    @WithSession
    public Uni<OutcomesView> outcomes(
            @QueryParam("start") @Nullable Long start,
            @QueryParam("end") @Nullable Long end,
            @QueryParam("step") @DefaultValue("86400") Long step)
            throws JobQuery.Refused {
        long until = end == null ? Clock.systemUTC().millis() : end;
        long since = before(start, until);
        long each = HistoryView.step(step, until - since);
        Sight sight = sights.now();
        return PeriodOutcome.each(each, since, until)
                .map(outcomes -> OutcomesView.of(since, until, each, outcomes, sight));
    }

    /// What became of the cluster's resources in a time.
    @GET
    @Path("utilization")
    @WithSession
    public Uni<UtilizationView> utilization(
            @QueryParam("start") @Nullable Long start, @QueryParam("end") @Nullable Long end)
            throws JobQuery.Refused {
        long now = Clock.systemUTC().millis();
        long until = end == null ? now : end;
        long since = before(start, until);
        return PeriodUsage.between(since, until, now)
                .chain(usage ->
                        PeriodCapacity.between(since, until, now)
                                .map(had -> UtilizationView.of(since, until, usage, had)));
    }

    private static long before(@Nullable Long start, long end) throws JobQuery.Refused {
        if (start == null || start < 0 || start >= end) {
            throw new JobQuery.Refused("start: it is required, and must be before end");
        }
        return start;
    }

    private Configuration current() {
        return configuration
                .inForce()
                .orElseThrow(
                        () -> new ServiceUnavailableException("there is no configuration yet"));
    }

    /// What is spent of everybody's budgets: of GrpTRESMins and GrpWall.
    @GET
    @Path("budgets")
    @WithSession
    public Uni<BudgetsView> budgets() {
        Configuration current = current();
        Sight sight = sights.now();
        long now = Clock.systemUTC().millis();
        return UsageNow.query(configuration.decay(), now)
                .map(usage -> BudgetsView.of(current, usage, sight, now));
    }

    /// How everybody stands in the tree of accounts.
    @GET
    @Path("shares")
    @WithSession
    public Uni<SharesView> shares() {
        Configuration current = current();
        Sight sight = sights.now();
        long now = Clock.systemUTC().millis();
        return UsageNow.query(configuration.decay(), now)
                .chain(usage ->
                        JobRow.members()
                                .map(members -> standings(current, usage, members, sight, now)));
    }

    private static SharesView standings(
            Configuration current, List<Usage> usage, List<Member> members, Sight sight, long now) {
        Map<Member, Long> used = new TreeMap<>();
        usage.forEach(it -> used.put(new Member(it.account(), it.user()), it.billingMicros()));
        var seen = new ArrayList<>(members);
        seen.addAll(used.keySet());
        var rules = current.cluster().priorityRules();
        return new SharesView(
                now,
                rules.fairShareRule().name(),
                current.cluster().usageHalfLifeSeconds(),
                FairShare.standings(ShareTree.of(current, seen), used, rules).stream()
                        .filter(it -> sight.usage(it.account(), it.user()))
                        .map(SharesView.Row::of)
                        .toList());
    }

    /// Whether the books agree with themselves.
    @GET
    @Path("balance")
    @RolesAllowed(Roles.OPERATOR)
    public Uni<Balance> balance() {
        return Balance.check();
    }

    @ServerExceptionMapper
    Response refused(JobQuery.Refused e) {
        return Problem.response(
                Response.Status.BAD_REQUEST, "invalid_request", String.valueOf(e.getMessage()));
    }
}
