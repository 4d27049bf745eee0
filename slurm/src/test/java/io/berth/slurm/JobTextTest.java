package io.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;

final class JobTextTest {

    private static boolean names(String text, long job, long array, int task) {
        return Objects.requireNonNull(JobText.parse(text), text).names(job, array, task, 0);
    }

    private static boolean component(String text, long job, long set) {
        return Objects.requireNonNull(JobText.parse(text), text).names(job, 0, 0, set);
    }

    @Test
    void components_are_named_by_their_set_or_one_by_one() {
        assertThat(component("17", 17, 17)).isTrue();
        assertThat(component("17", 18, 17)).isTrue();
        assertThat(component("18", 18, 17)).isTrue();
        assertThat(component("17+1", 18, 17)).isTrue();
        assertThat(component("17+1", 17, 17)).isFalse();
        assertThat(component("17+1", 18, 0)).isFalse();
        assertThat(component("17_1", 18, 17)).isFalse();
        assertThat(JobText.parse("17+")).isNull();
        assertThat(JobText.parse("17+1+1")).isNull();
    }

    @Test
    void an_id_is_a_job_or_all_tasks_of_an_array() {
        assertThat(names("17", 17, 0, 0)).isTrue();
        assertThat(names("17", 18, 17, 2)).isTrue();
        assertThat(names("18", 18, 17, 2)).isTrue();
        assertThat(names("17", 18, 0, 0)).isFalse();
    }

    @Test
    void tasks_are_named_by_their_array() {
        assertThat(names("17_2", 18, 17, 2)).isTrue();
        assertThat(names("17_*", 18, 17, 2)).isTrue();
        assertThat(names("17_[1-3,7%4]", 18, 17, 2)).isTrue();
        assertThat(names("17_[1,3]", 18, 17, 2)).isFalse();
        assertThat(names("18_2", 18, 17, 2)).isFalse();
        assertThat(names("17_0", 17, 0, 0)).isFalse();
    }

    @Test
    void other_text_names_none() {
        assertThat(JobText.parse("")).isNull();
        assertThat(JobText.parse("x")).isNull();
        assertThat(JobText.parse("-1")).isNull();
        assertThat(JobText.parse("17_")).isNull();
        assertThat(JobText.parse("17_[]")).isNull();
        assertThat(JobText.parse("17_[3-1]")).isNull();
        assertThat(JobText.parse("17_70000")).isNull();
    }

    @Test
    void commas_in_brackets_part_nothing() {
        assertThat(JobText.split("17,,18_[1,3],19")).containsExactly("17", "18_[1,3]", "19");
        assertThat(JobText.split("")).isEmpty();
    }
}
