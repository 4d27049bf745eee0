package io.berth.contracts.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator.Feature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import io.berth.contracts.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The description of the topics in `docs/` is what the records say (`-Dberth.write-docs=true`
/// writes it), and every golden event is what its schema says.
final class AsyncApiTest {
    private static final Path DOCS = Path.of("../docs");
    private static final Path GOLDEN = Path.of("src/test/resources/golden");
    private static final YAMLMapper YAML =
            YAMLMapper.builder()
                    .disable(Feature.WRITE_DOC_START_MARKER)
                    .enable(Feature.MINIMIZE_QUOTES)
                    .enable(Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                    .enable(Feature.INDENT_ARRAYS_WITH_INDICATOR)
                    .disable(Feature.SPLIT_LINES)
                    .build();
    private static final JsonSchemaFactory FACTORY =
            JsonSchemaFactory.getInstance(VersionFlag.V202012);

    private static final AsyncApi API = new AsyncApi();
    private static final Map<String, ObjectNode> SCHEMAS = API.schemas();

    /// Every file by its name in the docs.
    private static Map<String, String> files() throws IOException {
        var files = new TreeMap<String, String>();
        files.put("asyncapi.yaml", YAML.writeValueAsString(API.document()));
        for (var schema : SCHEMAS.entrySet()) {
            files.put(
                    schema.getKey(),
                    Json.mapper()
                                    .writerWithDefaultPrettyPrinter()
                                    .writeValueAsString(schema.getValue())
                            + "\n");
        }
        return files;
    }

    @Test
    void the_docs_describe_the_topics_as_they_are() throws IOException {
        Map<String, String> files = files();
        if (Boolean.getBoolean("berth.write-docs")) {
            for (var file : files.entrySet()) {
                Path path = DOCS.resolve(file.getKey());
                Files.createDirectories(path.getParent());
                Files.writeString(path, file.getValue());
            }
        }

        for (var file : files.entrySet()) {
            assertThat(DOCS.resolve(file.getKey()))
                    .as("run this test once with -Dberth.write-docs=true, and commit docs/")
                    .hasContent(file.getValue());
        }
        assertThat(kept())
                .isEqualTo(files.keySet().stream().filter(it -> it.startsWith("schemas")).toList());
    }

    private static List<String> kept() throws IOException {
        try (Stream<Path> files = Files.walk(DOCS.resolve("schemas"))) {
            return files.filter(Files::isRegularFile)
                    .map(it -> DOCS.relativize(it).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void every_reference_of_the_document_leads_somewhere() {
        ObjectNode document = API.document();
        Set<String> files = SCHEMAS.keySet();

        List<String> lost =
                document.findValuesAsText("$ref").stream()
                        .filter(it ->
                                it.startsWith("#")
                                        ? document.at(it.substring(1)).isMissingNode()
                                        : !files.contains(it))
                        .toList();

        assertThat(document.findValuesAsText("$ref")).hasSizeGreaterThan(60);
        assertThat(lost).isEmpty();
    }

    @Test
    void every_schema_is_one_of_json_schema() {
        var meta =
                FACTORY.getSchema(
                        SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));

        SCHEMAS.forEach((file, schema) -> assertThat(meta.validate(schema)).as(file).isEmpty());
    }

    static Stream<Path> goldens() {
        try (Stream<Path> files = Files.walk(GOLDEN)) {
            return files.filter(Files::isRegularFile).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void a_golden_event_is_what_its_schema_says(Path golden) throws IOException {
        assertThat(validate(golden, Json.mapper().readTree(golden.toFile()))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void a_golden_event_that_lacks_what_is_required_or_has_it_wrong_is_none(Path golden)
            throws IOException {
        for (JsonNode required : schema(golden).path("required")) {
            ObjectNode without = (ObjectNode) Json.mapper().readTree(golden.toFile());
            without.remove(required.asText());
            assertThat(validate(golden, without)).as("without " + required).isNotEmpty();
            without.putArray(required.asText()).addArray();
            assertThat(validate(golden, without)).as(required + " of lists").isNotEmpty();
        }
    }

    private static Set<ValidationMessage> validate(Path golden, JsonNode event) {
        return FACTORY.getSchema(schema(golden)).validate(event);
    }

    private static JsonNode schema(Path golden) {
        String topic =
                golden.getName(golden.getNameCount() - 2)
                        .toString()
                        .replace("dead-letters.submit-service", "dead-letters");
        String event = golden.getFileName().toString().replaceFirst("\\..*", "");
        JsonNode schema = SCHEMAS.get("schemas/" + topic + "/" + event + ".json");
        return schema == null ? Json.mapper().missingNode() : schema;
    }
}
