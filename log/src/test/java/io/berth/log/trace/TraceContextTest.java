package io.berth.log.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TraceContextTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";

    @Test
    void the_text_of_the_recommendation_is_read_and_written() {
        String text = "00-" + TRACE + "-" + SPAN + "-01";

        assertThat(TraceContext.parse(text)).contains(new TraceContext(TRACE, SPAN, true));
        assertThat(TraceContext.parse(text).orElseThrow()).hasToString(text);
    }

    @Test
    void of_flags_only_the_one_that_is_known_counts() {
        assertThat(TraceContext.parse("00-" + TRACE + "-" + SPAN + "-fe").orElseThrow())
                .hasToString("00-" + TRACE + "-" + SPAN + "-00");
    }

    @Test
    void a_later_version_may_say_more() {
        assertThat(TraceContext.parse("01-" + TRACE + "-" + SPAN + "-01-more"))
                .contains(new TraceContext(TRACE, SPAN, true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"
            })
    void what_is_no_such_text_is_no_context(String text) {
        assertThat(TraceContext.parse(text)).isEmpty();
    }

    @Test
    void a_child_is_another_span_of_the_same_trace() {
        TraceContext root = TraceContext.root();

        TraceContext child = root.child();

        assertThat(child.traceId()).isEqualTo(root.traceId());
        assertThat(child.spanId()).isNotEqualTo(root.spanId());
        assertThat(TraceContext.parse(child.toString())).contains(child);
    }
}
