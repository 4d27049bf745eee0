package io.berth.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Set;
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
