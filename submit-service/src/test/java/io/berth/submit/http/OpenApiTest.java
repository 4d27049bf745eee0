package io.berth.submit.http;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion.VersionFlag;
import io.berth.contracts.json.Json;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The description of the API, as a program that reads it would judge it.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class OpenApiTest {
    private static final Set<String> METHODS =
            Set.of("get", "put", "post", "delete", "patch", "head", "options");
    private static final Set<String> OPEN =
            Set.of("/v1/asyncapi", "/v1/schemas/{topic}/{event}.json");
    private static final JsonSchemaFactory SCHEMAS =
            JsonSchemaFactory.getInstance(VersionFlag.V202012);

    private JsonNode document = Json.mapper().nullNode();

    @BeforeEach
    void read() throws JsonProcessingException {
        document =
                Json.mapper()
                        .readTree(
                                given().accept("application/json")
                                        .get("/q/openapi")
                                        .then()
                                        .extract()
                                        .asString());
    }

    @Test
    void it_is_openapi_3_1_with_a_title_and_a_way_to_sign_in() {
        assertThat(document.path("openapi").asText()).startsWith("3.1.");
        assertThat(document.at("/info/title").asText()).isEqualTo("Berth");
        assertThat(document.at("/components/securitySchemes/SecurityScheme/scheme").asText())
                .isEqualTo("bearer");
    }

    @Test
    void every_reference_leads_somewhere() {
        var lost = new ArrayList<String>();
        for (JsonNode reference : document.findValues("$ref")) {
            if (document.at(reference.asText().substring(1)).isMissingNode()) {
                lost.add(reference.asText());
            }
        }

        assertThat(document.findValues("$ref")).isNotEmpty();
        assertThat(lost).isEmpty();
    }

    @Test
    void every_operation_says_what_it_does_and_what_it_answers_and_whether_it_needs_a_token() {
        var wrong = new ArrayList<String>();
        var paths = new ArrayList<String>();
        document.path("paths")
                .properties()
                .forEach(path ->
                        path.getValue().properties().stream()
                                .filter(it -> METHODS.contains(it.getKey()))
                                .forEach(it -> {
                                    String name = it.getKey() + " " + path.getKey();
                                    paths.add(name);
                                    JsonNode operation = it.getValue();
                                    if (operation.path("summary").asText().isBlank()
                                            || operation.path("tags").isEmpty()
                                            || operation.path("security").isEmpty()
                                                    != OPEN.contains(path.getKey())
                                            || noSuccess(operation.path("responses"))) {
                                        wrong.add(name);
                                    }
                                }));

        assertThat(wrong).isEmpty();
        assertThat(paths)
                .contains("post /v1/jobs", "post /v1/jobs/bulk", "get /v1/jobs", "get /v1/events");
    }

    private static boolean noSuccess(JsonNode responses) {
        return responses.properties().stream().noneMatch(it -> it.getKey().startsWith("2"));
    }

    @Test
    void every_schema_is_one_of_json_schema() {
        var meta =
                SCHEMAS.getSchema(
                        SchemaLocation.of("https://json-schema.org/draft/2020-12/schema"));

        var wrong =
                document.at("/components/schemas").properties().stream()
                        .filter(it -> !meta.validate(it.getValue()).isEmpty())
                        .map(it -> it.getKey() + ": " + meta.validate(it.getValue()))
                        .toList();

        assertThat(wrong).isEmpty();
    }

    @Test
    void every_example_is_what_its_schema_says() throws JsonProcessingException {
        var contents = new ArrayList<JsonNode>();
        document.findValues("content").forEach(it -> it.elements().forEachRemaining(contents::add));
        var wrong = new ArrayList<String>();
        int examples = 0;
        for (JsonNode content : contents) {
            for (JsonNode example : content.path("examples")) {
                examples++;
                JsonNode value = example.path("value");
                JsonNode parsed =
                        value.isTextual() ? Json.mapper().readTree(value.asText()) : value;
                wrong.addAll(against(content.path("schema"), parsed));
            }
        }

        assertThat(examples).isGreaterThanOrEqualTo(5);
        assertThat(wrong).isEmpty();
    }

    private List<String> against(JsonNode schema, JsonNode value) {
        ObjectNode whole = schema.deepCopy();
        whole.set("components", document.path("components"));
        return SCHEMAS.getSchema(whole).validate(value).stream().map(Object::toString).toList();
    }
}
