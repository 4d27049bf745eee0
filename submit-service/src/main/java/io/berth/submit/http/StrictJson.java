package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.berth.contracts.json.Json;
import io.berth.submit.Checks;
import io.berth.submit.Refusal.InvalidJson;
import io.berth.submit.Refused;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reads JSON from the body of a request strictly: no unknown or doubled fields, no number for a
/// text, no null in a list. What is wrong is said in one line that names the place.
public final class StrictJson {
    /// No request has lists within objects within more than this.
    private static final int MAX_DEPTH = 8;

    private static final int MAX_DIGITS = 32;
    private static final ObjectMapper JSON = strict();

    private StrictJson() {}

    /// @param what is expected, for the refusal of something else
    public static <T> T read(byte[] body, Class<T> type, String what) throws Refused {
        try {
            T read = JSON.readValue(body, type);
            if (read == null) {
                throw new Refused(new InvalidJson("the body is not " + what + " is expected"));
            }
            return read;
        } catch (IOException e) {
            throw new Refused(new InvalidJson(explain(e, what)));
        }
    }

    private static ObjectMapper strict() {
        var constraints =
                StreamReadConstraints.builder()
                        .maxNestingDepth(MAX_DEPTH)
                        .maxNumberLength(MAX_DIGITS)
                        .build();
        ObjectMapper mapper =
                Json.mapper()
                        .copy()
                        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                        .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
        mapper.getFactory().setStreamReadConstraints(constraints);
        mapper.setDefaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL));
        var text = mapper.coercionConfigFor(LogicalType.Textual);
        text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
        text.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
        text.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
        mapper.coercionConfigFor(LogicalType.Enum)
                .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
        return mapper;
    }

    private static String explain(IOException e, String what) {
        return switch (e) {
            case InvalidNullException wrong -> "field %s: null is no value".formatted(path(wrong));
            case UnrecognizedPropertyException unknown ->
                    "unknown field %s; there are: %s"
                            .formatted(path(unknown), fields(unknown.getReferringClass()));
            case MismatchedInputException wrong when wrong.getPath().isEmpty() ->
                    "the body is not " + what + " is expected";
            case MismatchedInputException wrong when firstLine(wrong).startsWith("Missing") ->
                    "field %s is missing".formatted(path(wrong));
            case MismatchedInputException wrong ->
                    "field %s is not %s".formatted(path(wrong), expected(wrong.getTargetType()));
            case JsonMappingException wrong when !wrong.getPath().isEmpty() ->
                    "field %s: %s".formatted(path(wrong), firstLine(wrong));
            case JsonProcessingException malformed ->
                    "the body is not JSON: " + firstLine(malformed) + place(malformed);
            default -> "the body cannot be read: " + e.getMessage();
        };
    }

    private static String expected(@Nullable Class<?> type) {
        if (type == null) {
            return "what is expected";
        }
        if (type.isEnum()) {
            return "one of " + joined(Stream.of(type.getEnumConstants()).map(Object::toString));
        }
        if (Collection.class.isAssignableFrom(type)) {
            return "a list";
        }
        if (Map.class.isAssignableFrom(type)) {
            return "an object of texts";
        }
        if (type.isRecord()) {
            return "an object";
        }
        return type == String.class
                ? "a text"
                : type == Boolean.class ? "true or false" : "a whole number";
    }

    private static String path(JsonMappingException e) {
        return Checks.quoted(
                e.getPath().stream()
                        .map(Reference::getFieldName)
                        .filter(name -> name != null)
                        .collect(Collectors.joining(".")));
    }

    private static String joined(Stream<String> names) {
        return names.collect(Collectors.joining(", "));
    }

    /// Without the parser's words about itself.
    private static String firstLine(JsonProcessingException e) {
        return e.getOriginalMessage()
                .lines()
                .findFirst()
                .orElse("")
                .replaceFirst(" \\(start marker at .*", "")
                .replaceFirst("out of range of (int|long)", "out of range");
    }

    private static String place(JsonProcessingException e) {
        var location = e.getLocation();
        return location == null
                ? ""
                : " (line %d, column %d)".formatted(location.getLineNr(), location.getColumnNr());
    }

    /// The fields of a record, in their order.
    private static String fields(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        return components == null
                ? "none"
                : joined(Stream.of(components).map(RecordComponent::getName));
    }
}
