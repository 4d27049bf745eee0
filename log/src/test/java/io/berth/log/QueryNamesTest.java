package io.berth.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class QueryNamesTest {
    @Retention(RetentionPolicy.RUNTIME)
    @interface Query {
        String value();
    }

    record Filter(@Query("user") String users, @Query("state") String states) {}

    @SuppressWarnings("unused")
    interface Answers {
        void list(Filter filter, @Query("limit") int limit, String body);

        void one(String id);
    }

    @Test
    void a_methods_parameters_and_those_of_its_records_are_there() throws Exception {
        assertThat(names("list", Filter.class, int.class, String.class))
                .containsExactly("limit", "state", "user");
        assertThat(names("one", String.class)).isEmpty();
    }

    private static Set<String> names(String method, Class<?>... parameters) throws Exception {
        return QueryNames.of(
                Answers.class.getDeclaredMethod(method, parameters), Query.class, Query::value);
    }

    @Test
    void what_is_not_there_is_named_with_what_is() throws Exception {
        Set<String> there = names("list", Filter.class, int.class, String.class);
        List<String> unknown = QueryNames.unknown(List.of("user", "usr", "limt"), there);

        assertThat(unknown).containsExactly("limt", "usr");
        assertThat(QueryNames.refusal(unknown, there))
                .isEqualTo("there is no parameter 'limt'; there are: limit, state, user");
        assertThat(QueryNames.refusal(List.of("x"), Set.of()))
                .isEqualTo("there is no parameter 'x'; this path has none");
    }

    @Test
    void a_name_breaks_no_line_and_is_not_told_without_end() {
        assertThat(QueryNames.shown("a\r\nb" + "c".repeat(100))).isEqualTo("a??b" + "c".repeat(56));
    }
}
