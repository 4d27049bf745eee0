package io.berth.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.Tres;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Claim;
import io.berth.contracts.event.JobStatus.Clearing;
import io.berth.contracts.event.JobStatus.Run;
import io.berth.core.request.Eligibility;
import io.berth.core.state.CellState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The GPUs that accounts are guaranteed, counted from the jobs of a state alone.
///
/// - Who stands on the guarantee of his account never gives it back.
/// - Who has a place back is within the guarantee of his account then, with all others there.
///
/// @param state the state that a pass was decided on
/// @param gone jobs whose cleared nodes were given up in the pass
record GuaranteeLaws(Configuration configuration, CellState state, Set<JobId> gone) {

    private static final String ROOT = "";

    /// @param since when the job took its place
    private record Held(JobStatus job, long since, long until, long gpus) {}

    /// @param reclaimers all who had places back in the pass
    void check(JobStatus by, JobStatus victim, Set<JobId> reclaimers) {
        List<String> lineage = lineage(by);
        List<String> others = lineage(victim);
        String common = lineage.stream().filter(others::contains).findFirst().orElseThrow();
        String its = topmost(lineage, common);
        String other = topmost(others, common);
        assertThat(its).as("the guarantee of %s, for which %s gives way", by, victim).isNotNull();
        assertThat(other == null ? Set.of() : standing(other))
                .as("who stands in %s, so that he gives nothing back to %s", other, by)
                .doesNotContain(victim.job());
        if (victim.description().het() != null) {
            for (JobId companion : Eligibility.together(victim)) {
                assertThat(companion.equals(victim.job()) || !standsAtAll(companion))
                        .as("%s goes with %s, and stands", companion, victim)
                        .isTrue();
            }
        }
        long used =
                held(its).stream()
                        .filter(it -> !reclaimers.contains(it.job().job()))
                        .mapToLong(Held::gpus)
                        .sum();
        long back =
                reclaimers.stream()
                        .map(state::knownJob)
                        .filter(it -> lineage(it).contains(its))
                        .mapToLong(it -> it.description().request().totalGpus())
                        .sum();
        assertThat(used + back)
                .as("GPUs in %s with %s, and those who have their places back", its, by)
                .isLessThanOrEqualTo(guarantee(Objects.requireNonNull(its)));
    }

    /// Whether a job that was expected to start would have kept its place from everybody, beside
    /// all who have begun since.
    boolean keeps(JobStatus expected, Collection<JobStatus> began) {
        List<String> guaranteed =
                lineage(expected).stream().filter(it -> guarantee(it) > 0).toList();
        return gpus(expected) > 0
                && guaranteed.contains(expected.description().account())
                && guaranteed.stream()
                        .allMatch(it ->
                                held(it).stream().mapToLong(Held::gpus).sum()
                                                + began.stream()
                                                        .filter(job -> lineage(job).contains(it))
                                                        .mapToLong(GuaranteeLaws::gpus)
                                                        .sum()
                                                + gpus(expected)
                                        <= guarantee(it));
    }

    private boolean standsAtAll(JobId job) {
        return configuration.accounts().keySet().stream()
                .anyMatch(it -> standing(it).contains(job));
    }

    /// The account and those above it, upwards.
    private List<String> lineage(JobStatus job) {
        var names = new ArrayList<>(configuration.lineage(job.description().account()));
        names.add(ROOT);
        return names;
    }

    /// The topmost account with a guarantee below that one.
    private @Nullable String topmost(List<String> lineage, String common) {
        return lineage.subList(0, lineage.indexOf(common)).reversed().stream()
                .filter(it -> guarantee(it) > 0)
                .findFirst()
                .orElse(null);
    }

    private long guarantee(String account) {
        Account it = configuration.accounts().get(account);
        return it == null ? 0 : it.ownTerms().guarantee().getOrDefault(Tres.GPU, 0L);
    }

    /// Those below it with a guarantee first, then by their places as long as they fit.
    private Set<JobId> standing(String account) {
        var standing = new TreeSet<JobId>();
        for (String below : configuration.accounts().keySet()) {
            if (!below.equals(account) && configuration.lineage(below).contains(account)) {
                standing.addAll(standing(below));
            }
        }
        List<Held> held = held(account);
        long left =
                guarantee(account)
                        - held.stream()
                                .filter(it -> standing.contains(it.job().job()))
                                .mapToLong(Held::gpus)
                                .sum();
        for (Held each : held) {
            if (!standing.contains(each.job().job()) && each.gpus() > 0) {
                left -= each.gpus();
                if (left < 0) {
                    break;
                }
                standing.add(each.job().job());
            }
        }
        return standing;
    }

    /// What jobs of an account and of those below it hold, in the order of their places.
    private List<Held> held(@Nullable String account) {
        var held = new ArrayList<Held>();
        for (JobStatus job : state.jobs()) {
            Run run = job.run();
            Clearing clearing = gone.contains(job.job()) ? null : job.clearing();
            if (!lineage(job).contains(account)) {
                continue;
            }
            if (run != null) {
                Claim claim = run.claim();
                held.add(
                        claim == null
                                ? new Held(job, run.placedAt(), Long.MAX_VALUE, gpus(job))
                                : new Held(job, claim.since(), claim.until(), gpus(job)));
            } else if (clearing != null) {
                held.add(new Held(job, clearing.since(), clearing.until(), gpus(job)));
            }
        }
        held.sort(
                Comparator.comparingLong(Held::since)
                        .thenComparingLong(Held::until)
                        .thenComparing(it -> it.job().job()));
        return held;
    }

    private static long gpus(JobStatus job) {
        JobDescription description = job.description();
        Run run = job.run();
        long given =
                run == null
                        ? 0
                        : run.gpusByType().values().stream().mapToLong(Long::longValue).sum();
        return Math.max(description.request().totalGpus(), given);
    }
}
