package io.berth.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class NodeNameTest {

    private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
    private static final String LETTERS = "aAmMzZ059._-/ :@[`{é\n";

    @Test
    void a_name_is_what_the_rule_says() {
        var random = new Random(1);
        int allowed = 0;
        for (int i = 0; i < 20_000; i++) {
            // Of the last of the letters few, or hardly a long name would be allowed.
            int letters = random.nextInt(4) == 0 ? LETTERS.length() : 12;
            String name =
                    random.ints(random.nextInt(67), 0, letters)
                            .mapToObj(at -> LETTERS.substring(at, at + 1))
                            .collect(Collectors.joining());
            boolean follows = ALLOWED.matcher(name).matches();
            allowed += follows ? 1 : 0;

            Throwable refused = catchThrowable(() -> new NodeName(name));

            assertThat(refused == null).as(name).isEqualTo(follows);
        }
        assertThat(allowed).isBetween(1_000, 19_000);
    }
}
