package io.berth.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FeatureExpressionTest {

    private static Set<String> features(String list) {
        return list.isEmpty() ? Set.of() : Set.of(list.split("\\+"));
    }

    @ParameterizedTest
    @CsvSource({
        "a, a, true",
        "a, b, false",
        "a&b, a, false",
        "a&b, a+b, true",
        "'a,b', a, false",
        "a|b, b, true",
        "a|b, '', false",
        "a|b&c, a, true",
        "(a|b)&c, a, false",
        "(a|b)&c, b+c, true",
        "[a|b]&c, b+c, true",
        "a*2&b*4, b, true",
        "a*2&b*4&c, b, false",
        "a*2&b*4&c, b+c, true",
    })
    void a_node_may_serve_as_its_features_say(String expression, String node, boolean admitted) {
        boolean admits = FeatureExpression.parse(expression).admits(features(node));

        assertThat(admits).isEqualTo(admitted);
    }

    @Test
    void brackets_are_alternatives_in_their_order() {
        List<FeatureExpression> alternatives = FeatureExpression.parse("[a|b]&c").alternatives();

        assertThat(alternatives)
                .extracting(it -> it.admits(Set.of("a", "c")), it -> it.admits(Set.of("b", "c")))
                .containsExactly(tuple(true, false), tuple(false, true));
    }

    @Test
    void counted_features_are_of_so_many_nodes_and_the_rest_has_what_is_not_counted() {
        FeatureExpression it = FeatureExpression.parse("[a*2&(b|c)*4]&d").alternatives().getFirst();

        assertThat(it.counts())
                .extracting(
                        FeatureExpression.Count::nodes,
                        count -> count.features().admits(Set.of("a")),
                        count -> count.features().admits(Set.of("c")))
                .containsExactly(tuple(2, true, false), tuple(4, false, true));
        assertThat(it.admitsUncounted(Set.of("d"))).isTrue();
        assertThat(it.admitsUncounted(Set.of("a", "b"))).isFalse();
        assertThat(it.nodesCounted()).isEqualTo(6);
    }

    @ParameterizedTest
    @CsvSource({
        "a*2, true",
        "[a*2&b*4], true",
        "(a|b)*2, true",
        "[a*2|b*4], true",
        "a*2|b, false",
        "(a*2|b)&c, false",
        "(a*2)*3, false"
    })
    void a_count_stands_alone_or_between_ands(String text, boolean plainly) {
        assertThat(FeatureExpression.parse(text).countsPlainly()).isEqualTo(plainly);
    }

    @ParameterizedTest
    @CsvSource({
        "[a|b|c], 100, 64 alternatives",
        "[a|b], 7, 64 alternatives",
        "[a|b], 6, ''",
        "f%d*1, 9, 8 features",
        "f%d*1, 8, ''",
        "f*1, 100, ''"
    })
    void what_a_new_job_may_choose_and_count_is_bounded(String part, int times, String refused) {
        String text =
                IntStream.range(0, times)
                        .mapToObj(part::formatted)
                        .collect(Collectors.joining("&"));

        if (refused.isEmpty()) {
            assertThat(FeatureExpression.parseBounded(text)).hasToString(text);
        } else {
            assertThatThrownBy(() -> FeatureExpression.parseBounded(text))
                    .hasMessageContaining("more than " + refused);
        }
        assertThat(FeatureExpression.parse(text))
                .as("jobs that were accepted have any number")
                .hasToString(text);
    }

    @Test
    void equal_counts_are_one() {
        assertThat(FeatureExpression.parse("a*1&b*1&(a)*2").counts())
                .extracting(FeatureExpression.Count::nodes)
                .containsExactly(3, 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a&",
                "|a",
                "a b",
                "(a",
                "a)",
                "[a|b",
                "a*",
                "a*0",
                "a*x",
                "a*999999",
                "a&&b",
                "((((((((((((((((((a))))))))))))))))))",
                "a;b"
            })
    void other_texts_are_refused_with_their_place(String text) {
        assertThatThrownBy(() -> FeatureExpression.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("constraint");
    }
}
