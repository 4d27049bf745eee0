package io.berth.agent.host;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.berth.slurm.SlurmConf;
import io.berth.slurm.SlurmConf.Line;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A gres.conf in YAML: under `gres` a list of maps, each with the keys of a line. A list of values
/// is what commas are there.
final class GresYaml {

    private final String name;
    private final JsonParser yaml;

    private GresYaml(String name, JsonParser yaml) {
        this.name = name;
        this.yaml = yaml;
    }

    /// @param name of the file, for messages
    /// @throws IllegalArgumentException if the text is no such list, naming the line
    static SlurmConf parse(String name, String text) throws IOException {
        try (JsonParser yaml = new YAMLFactory().createParser(text)) {
            return new SlurmConf(name, new GresYaml(name, yaml).lines());
        } catch (JsonProcessingException e) {
            int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
            String why = e.getOriginalMessage().lines().findFirst().orElse("no YAML");
            throw new IllegalArgumentException("%s:%d: %s".formatted(name, line, why), e);
        }
    }

    private List<Line> lines() throws IOException {
        expect(JsonToken.START_OBJECT);
        expect(JsonToken.FIELD_NAME);
        if (!yaml.currentName().equals("gres")) {
            throw unlike();
        }
        expect(JsonToken.START_ARRAY);
        var lines = new ArrayList<Line>();
        while (yaml.nextToken() != JsonToken.END_ARRAY) {
            lines.add(line());
        }
        expect(JsonToken.END_OBJECT);
        return lines;
    }

    private Line line() throws IOException {
        if (yaml.currentToken() != JsonToken.START_OBJECT) {
            throw unlike();
        }
        int number = yaml.currentTokenLocation().getLineNr();
        Map<String, String> values = new LinkedHashMap<>();
        while (yaml.nextToken() == JsonToken.FIELD_NAME) {
            String key = yaml.currentName().toLowerCase(Locale.ROOT);
            values.put(key, value());
        }
        String text =
                String.join(
                        " ",
                        values.entrySet().stream()
                                .map(it -> it.getKey() + "=" + it.getValue())
                                .toList());
        return new Line(number, text, values);
    }

    private String value() throws IOException {
        if (yaml.nextToken() != JsonToken.START_ARRAY) {
            return scalar();
        }
        var values = new ArrayList<String>();
        while (yaml.nextToken() != JsonToken.END_ARRAY) {
            values.add(scalar());
        }
        return String.join(",", values);
    }

    private String scalar() throws IOException {
        JsonToken token = yaml.currentToken();
        if (token == null || !token.isScalarValue()) {
            throw unlike();
        }
        return yaml.getText();
    }

    private void expect(JsonToken token) throws IOException {
        if (yaml.nextToken() != token) {
            throw unlike();
        }
    }

    private IllegalArgumentException unlike() {
        return new IllegalArgumentException(
                "%s:%d: not what it must be: gres, with a list of maps such as {name: gpu, type: a100, file: /dev/nvidia0}"
                        .formatted(name, yaml.currentTokenLocation().getLineNr()));
    }
}
