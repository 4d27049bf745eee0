package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.cli.FakeMesh.Reply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DataFormTest {

    @Test
    void yaml_is_nested_as_the_data_is_and_quotes_what_is_no_plain_text() {
        var job = new LinkedHashMap<String, Object>();
        job.put("id", 17L);
        job.put("name", "a: b\n\u001b[31m\"x\"\\");
        job.put("state", "on");
        job.put("nodes", List.of("gpu-01", "7"));
        job.put("terms", Map.of("hold", true));
        job.put("empty", Map.of());
        job.put("rows", List.of(List.of(1, 2), List.of()));

        assertThat(DataForm.YAML.text(Map.of("jobs", List.of(job, Map.of("id", 18)))))
                .isEqualTo(
                        """
                        jobs:
                          - id: 17
                            name: "a: b\\n\\u001b[31m\\"x\\"\\\\"
                            state: "on"
                            nodes: [gpu-01, "7"]
                            terms:
                              hold: true
                            empty: {}
                            rows:
                              - [1, 2]
                              - []
                          - id: 18
                        """);
    }

    @Test
    void commands_answer_in_either_form() {
        try (var mesh =
                new FakeMesh()
                        .on("GET", "/v1/jobs", new Reply(200, "{\"jobs\":[]}"))
                        .on("GET", "/v1/nodes", new Reply(200, "{\"nodes\":[]}"))
                        .on("GET", "/v1/partitions", new Reply(200, "{\"partitions\":[]}"))) {
            var yaml = new ArrayList<Outcome>();
            for (String command : List.of("squeue", "sinfo")) {
                yaml.add(new CommandRun(mesh).run(command, "--yaml"));
            }

            assertThat(yaml).extracting(Outcome::err).containsOnly("");
            assertThat(yaml)
                    .extracting(Outcome::out)
                    .allSatisfy(it -> assertThat(it).startsWith("meta:\n").contains("errors: []\n"))
                    .satisfiesExactly(
                            jobs -> assertThat(jobs).endsWith("jobs: []\n"),
                            nodes -> assertThat(nodes).endsWith("nodes: []\npartitions: []\n"));
        }
    }
}
