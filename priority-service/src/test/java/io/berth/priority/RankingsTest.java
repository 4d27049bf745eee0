package io.berth.priority;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.NodeName;
import io.berth.contracts.Rank;
import io.berth.contracts.config.Configuration;
import io.berth.core.fairshare.Member;
import io.berth.priority.Rankings.Change;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RankingsTest {

    private static final JobId ONE = new JobId(1);
    private static final JobDescription ALICES = Samples.job("alice", "team_a", "high");

    private final Rankings rankings = new Rankings();

    @Test
    void a_job_waits_for_the_first_configuration() {
        rankings.submitted(0, ONE, ALICES);
        assertThat(rankings.changes()).isEmpty();

        rankings.configuration(configuration(1, 0, 500));

        Rank rank = only(rankings.changes());
        assertThat(rank.qos()).isEqualTo(500_000_000);
        assertThat(rank.nice()).isEqualTo(-10_000_000);
        assertThat(rankings.changes()).isEmpty();
    }

    @Test
    void a_new_configuration_ranks_anew_only_what_it_changes() {
        rankings.configuration(configuration(1, 0, 500));
        rankings.submitted(0, ONE, ALICES);
        rankings.submitted(0, new JobId(2), Samples.job("bob", "default", "normal"));
        long before = rankings.changes().getFirst().rank().orElseThrow().version();

        rankings.configuration(configuration(2, 0, 700));

        List<Change> changes = rankings.changes();
        assertThat(changes).extracting(Change::job).containsExactly(ONE);
        assertThat(only(changes).qos()).isEqualTo(700_000_000);
        assertThat(only(changes).version()).isGreaterThan(before);
    }

    @Test
    void an_ended_job_is_ranked_no_more() {
        rankings.configuration(configuration(1, 0, 500));
        rankings.submitted(0, ONE, ALICES);
        assertThat(rankings.changes()).hasSize(1);

        rankings.status(0, Samples.status(1, ALICES, JobState.COMPLETED));

        assertThat(rankings.changes()).containsExactly(new Change(0, ONE, Optional.empty()));
        rankings.configuration(configuration(2, 0, 700));
        assertThat(rankings.changes()).isEmpty();
        assertThat(rankings.members()).isEmpty();
    }

    @Test
    void a_job_that_lives_again_is_ranked_above_the_rank_that_placement_knows() {
        rankings.configuration(configuration(1, 0, 500));
        rankings.submitted(0, ONE, ALICES);
        Rank before = only(rankings.changes());
        var known = new Rank(Long.MAX_VALUE / 2, 1, 2, 3, 4, 5, 6);
        rankings.status(0, Samples.status(1, ALICES, JobState.COMPLETED));
        rankings.changes();

        rankings.status(0, Samples.status(1, ALICES, JobState.PENDING, 0, known));

        Rank again = only(rankings.changes());
        assertThat(again.version()).isEqualTo(known.version() + 1);
        assertThat(again.qos()).isEqualTo(before.qos());
    }

    @Test
    void a_job_that_lives_again_as_it_was_is_not_ranked_again() {
        rankings.configuration(configuration(1, 0, 500));
        rankings.submitted(0, ONE, ALICES);
        Rank before = only(rankings.changes());
        rankings.status(0, Samples.status(1, ALICES, JobState.COMPLETED));
        rankings.changes();

        rankings.status(0, Samples.status(1, ALICES, JobState.PENDING, 0, before));

        assertThat(rankings.changes()).isEmpty();
    }

    @Test
    void what_another_said_last_of_a_job_is_said_anew_above_it() {
        rankings.configuration(configuration(1, 0, 500));
        rankings.submitted(0, ONE, ALICES);
        Rank own = only(rankings.changes());
        rankings.heard(0, ONE, Optional.of(own));
        rankings.heard(0, ONE, Optional.of(new Rank(own.version() - 1, 0, 0, 7, 0, 0, 0)));
        assertThat(rankings.changes()).isEmpty();

        rankings.correct();

        assertThat(only(rankings.changes())).isEqualTo(own.at(own.version() + 1));
        rankings.correct();
        assertThat(rankings.changes()).isEmpty();
    }

    @Test
    void what_comes_before_ones_own_word_is_not_corrected() {
        rankings.configuration(configuration(1, 0, 500));
        rankings.submitted(0, ONE, ALICES);
        Rank own = only(rankings.changes());

        rankings.heard(0, ONE, Optional.of(own.at(1)));
        rankings.heard(0, ONE, Optional.of(own));
        rankings.correct();

        assertThat(rankings.changes()).isEmpty();
    }

    @Test
    void a_rank_that_comes_after_the_end_of_its_job_is_ended_again() {
        rankings.configuration(configuration(1, 0, 500));
        rankings.submitted(0, ONE, ALICES);
        Rank own = only(rankings.changes());
        rankings.ended(0, ONE);
        rankings.changes();

        rankings.heard(0, ONE, Optional.of(own));
        rankings.correct();

        assertThat(rankings.changes()).containsExactly(new Change(0, ONE, Optional.empty()));
    }

    @Test
    void an_end_that_comes_while_its_job_lives_is_undone() {
        rankings.configuration(configuration(1, 0, 500));
        rankings.submitted(0, ONE, ALICES);
        Rank own = only(rankings.changes());

        rankings.heard(0, ONE, Optional.empty());
        rankings.correct();

        assertThat(only(rankings.changes())).isEqualTo(own.at(own.version() + 1));
    }

    @Test
    void the_size_of_the_jobs_own_cell_counts_when_size_has_a_weight() {
        rankings.configuration(configuration(1, 1000, 0));
        rankings.submitted(0, ONE, ALICES);
        rankings.submitted(1, new JobId(2), ALICES);
        assertThat(rankings.changes()).hasSize(2);

        node(0, "a", 16, 1);
        List<Change> changes = rankings.changes();

        assertThat(changes).extracting(Change::job).containsExactly(ONE);
        assertThat(only(changes).jobSize()).isEqualTo(750_000_000);
        node(0, "a", 16, 2);
        assertThat(rankings.changes()).isEmpty();
        node(0, "b", 16, 3);
        assertThat(only(rankings.changes()).jobSize()).isEqualTo(375_000_000);
    }

    @Test
    void a_version_grows_even_if_the_log_was_made_anew() {
        rankings.published(ONE, new Rank(Long.MAX_VALUE / 2, 1, 2, 3, 4, 5, 6));
        rankings.configuration(configuration(1, 0, 500));
        rankings.submitted(0, ONE, ALICES);

        assertThat(only(rankings.changes()).version()).isEqualTo(Long.MAX_VALUE / 2 + 1);
    }

    @Test
    void what_is_published_already_is_not_published_again() {
        var before = new Rankings();
        before.configuration(configuration(1, 0, 500));
        before.submitted(0, ONE, ALICES);
        Rank published = only(before.changes());

        rankings.published(ONE, published);
        rankings.configuration(configuration(1, 0, 500));
        node(0, "a", 16, 77);
        rankings.status(0, Samples.status(1, ALICES, JobState.PENDING));

        assertThat(rankings.changes()).isEmpty();
    }

    @Test
    void the_ranking_of_a_job_that_is_none_ends() {
        rankings.configuration(configuration(1, 0, 500));
        rankings.submitted(0, ONE, ALICES);
        assertThat(rankings.members()).containsExactly(new Member("team_a", "alice"));
        assertThat(rankings.changes()).hasSize(1);

        rankings.ended(0, ONE);

        assertThat(rankings.changes()).containsExactly(new Change(0, ONE, Optional.empty()));
        rankings.ended(0, ONE);
        assertThat(rankings.changes()).isEmpty();
    }

    private void node(int cell, String name, int cpus, long position) {
        rankings.node(cell, new NodeName(name), Optional.of(Samples.node(name, cpus)), position);
    }

    private static Rank only(List<Change> changes) {
        assertThat(changes).hasSize(1);
        return changes.getFirst().rank().orElseThrow();
    }

    private static Configuration configuration(long revision, int jobSize, int qos) {
        return Configuration.of(revision, Samples.configuration(revision, jobSize, qos));
    }
}
