package io.berth.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ParentDeathTest {

    @Test
    void a_child_that_has_lost_its_parent_before_it_is_bound_does_not_begin() throws IOException {
        assumeTrue(said(List.of("sh", "-c", "command -v setpriv || true")).contains("setpriv"));
        var bound = new ArrayList<>(ParentDeath.sends("KILL"));
        bound.addAll(List.of("echo", "began"));
        var another = new ArrayList<>(List.of("sh", "-c", "\"$@\"; echo \"ended with $?\"", "sh"));
        another.addAll(bound);

        assertThat(said(another)).isEqualTo("ended with 1");
        assertThat(said(bound)).isEqualTo("began");
    }

    private static String said(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
}
