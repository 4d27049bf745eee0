package io.berth.standalone.ship;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.berth.contracts.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// The instructions of a Dockerfile.
record Dockerfile(List<Instruction> instructions) {

    private static final Set<String> KNOWN =
            Set.of(
                    "FROM",
                    "LABEL",
                    "RUN",
                    "USER",
                    "WORKDIR",
                    "COPY",
                    "ENV",
                    "EXPOSE",
                    "VOLUME",
                    "HEALTHCHECK",
                    "ENTRYPOINT");

    record Instruction(String name, String arguments) {}

    static Dockerfile of(String module) {
        var instructions = new ArrayList<Instruction>();
        String joined = Checkout.read(module + "/Dockerfile").replaceAll("\\\\\n\\s*", "");
        for (String line : joined.split("\n", -1)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] parts = line.split(" ", 2);
            assertThat(KNOWN).as("instructions of " + module).contains(parts[0]);
            assertThat(parts).as(line).hasSize(2);
            instructions.add(new Instruction(parts[0], parts[1].strip()));
        }
        return new Dockerfile(List.copyOf(instructions));
    }

    List<String> all(String name) {
        return instructions.stream()
                .filter(it -> it.name().equals(name))
                .map(Instruction::arguments)
                .toList();
    }

    /// The words of an instruction in its JSON form.
    List<String> words(String name) {
        String arguments = all(name).getLast();
        var words = new ArrayList<String>();
        try {
            JsonNode array = Json.mapper().readTree(arguments.substring(arguments.indexOf('[')));
            array.forEach(word -> words.add(word.asText()));
        } catch (JsonProcessingException e) {
            throw new AssertionError(name + " is no JSON: " + arguments, e);
        }
        return words;
    }
}
