package io.berth.accounting;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// What a native image has to be told of this service.
final class ReachabilityTest {

    @Test
    void the_cluster_file_of_who_gives_none_is_in_it() throws IOException {
        List<String> files;
        try (InputStream in =
                ReachabilityTest.class.getResourceAsStream(
                        "/META-INF/native-image/io.berth/accounting-service/reachability-metadata.json")) {
            files =
                    Json.mapper()
                            .readTree(Objects.requireNonNull(in))
                            .path("resources")
                            .findValuesAsText("glob");
        }

        assertThat(files).containsExactly("accounts.yaml");
        assertThat(ReachabilityTest.class.getResource("/accounts.yaml")).isNotNull();
    }
}
