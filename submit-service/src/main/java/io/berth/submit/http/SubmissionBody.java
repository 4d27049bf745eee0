package io.berth.submit.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.berth.contracts.json.Json;
import io.berth.slurm.BatchScript;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.JobSubmission;
import io.berth.slurm.Sbatch;
import io.berth.slurm.SubmittedFrom;
import io.berth.submit.Deadline;
import io.berth.submit.Launch;
import io.berth.submit.Refusal.InvalidJson;
import io.berth.submit.Refused;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reads a submission from the body of a request: JSON, taken strictly, or a batch script.
final class SubmissionBody {
    private static final ObjectReader JSON = strict().readerFor(JobSubmission.class);

    private static final String FIELDS =
            joined(
                    Stream.of(JobSubmission.class.getRecordComponents())
                            .map(RecordComponent::getName));

    private SubmissionBody() {}

    private static ObjectMapper strict() {
        ObjectMapper mapper =
                Json.mapper()
                        .copy()
                        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                        .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
        var text = mapper.coercionConfigFor(LogicalType.Textual);
        text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
        text.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
        text.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
        mapper.coercionConfigFor(LogicalType.Enum)
                .setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
        return mapper;
    }

    /// All bytes of the body.
    ///
    /// @throws BodyNotReceived if they take longer than that, or end before their end
    static byte[] bytes(InputStream body, Duration limit) throws Refused {
        try {
            return read(body, limit);
        } catch (IOException e) {
            throw new BodyNotReceived(e);
        }
    }

    private static byte[] read(InputStream body, Duration limit) throws IOException, Refused {
        var due = Deadline.in(limit);
        var bytes = new ByteArrayOutputStream();
        var chunk = new byte[16 << 10];
        for (int read = body.read(chunk); read >= 0; read = body.read(chunk)) {
            bytes.write(chunk, 0, read);
            if (bytes.size() > BodySize.MAX_BYTES) {
                throw new Refused(BodySize.tooLarge());
            }
            if (due.passed()) {
                throw new BodyNotReceived(limit);
            }
        }
        return bytes.toByteArray();
    }

    static JobSubmission json(byte[] body) throws Refused {
        try {
            JobSubmission asked = JSON.readValue(body);
            if (asked == null || asked.script() == null) {
                throw new Refused(new InvalidJson("field 'script' is null, and no text"));
            }
            return asked;
        } catch (IOException e) {
            throw new Refused(new InvalidJson(explain(e)));
        }
    }

    /// @param user the owner, if it is not the caller
    static JobSubmission script(byte[] body, @Nullable String user) throws Refused {
        try {
            return Sbatch.request(
                            Sbatch.commandLine(List.of()),
                            Map.of(),
                            BatchScript.of(body),
                            List.of(),
                            new SubmittedFrom(
                                    null, null, null, user, ZonedDateTime::now))
                    .submission();
        } catch (InvalidOption e) {
            throw Launch.refused(e);
        }
    }

    private static String explain(IOException e) {
        return switch (e) {
            case UnrecognizedPropertyException unknown ->
                    "unknown field '%s'; there are: %s".formatted(path(unknown), FIELDS);
            case MismatchedInputException wrong when wrong.getPath().isEmpty() ->
                    "the body is not a job: an object with the field 'script' is expected";
            case MismatchedInputException wrong when firstLine(wrong).startsWith("Missing") ->
                    "field '%s' is missing".formatted(path(wrong));
            case MismatchedInputException wrong ->
                    "field '%s' is not %s".formatted(path(wrong), expected(wrong.getTargetType()));
            case JsonMappingException wrong when !wrong.getPath().isEmpty() ->
                    "field '%s': %s".formatted(path(wrong), firstLine(wrong));
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
            return "a list of texts";
        }
        if (Map.class.isAssignableFrom(type)) {
            return "an object of texts";
        }
        return type == String.class
                ? "a text"
                : type == Boolean.class ? "true or false" : "a whole number";
    }

    private static String path(JsonMappingException e) {
        return e.getPath().stream()
                .map(Reference::getFieldName)
                .filter(name -> name != null)
                .collect(Collectors.joining("."));
    }

    private static String joined(Stream<String> names) {
        return names.collect(Collectors.joining(", "));
    }

    private static String firstLine(JsonProcessingException e) {
        return e.getOriginalMessage().lines().findFirst().orElse("");
    }

    private static String place(JsonProcessingException e) {
        var location = e.getLocation();
        return location == null
                ? ""
                : " (line %d, column %d)".formatted(location.getLineNr(), location.getColumnNr());
    }
}
