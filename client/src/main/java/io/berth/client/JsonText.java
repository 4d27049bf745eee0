package io.berth.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// JSON as it is sent and printed. Fields that are null are left out, those that are [#NULL] are
/// not.
public final class JsonText {

    /// A null that is written.
    public static final Object NULL = Explicit.NULL;

    private enum Explicit {
        NULL
    }

    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonText() {}

    /// In one line.
    public static String compact(Map<String, ? extends @Nullable Object> object) {
        return write(object, false);
    }

    /// In indented lines, the last one ended.
    public static String pretty(Map<String, ? extends @Nullable Object> object) {
        return write(object, true) + "\n";
    }

    private static String write(Map<String, ? extends @Nullable Object> object, boolean pretty) {
        var text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(text)) {
            if (pretty) {
                generator.setPrettyPrinter(new DefaultPrettyPrinter());
            }
            write(object, generator);
        } catch (IOException e) {
            throw new UncheckedIOException("writing JSON into memory", e);
        }
        return text.toString();
    }

    private static void write(@Nullable Object value, JsonGenerator generator) throws IOException {
        switch (value) {
            case null -> generator.writeNull();
            case Explicit _ -> generator.writeNull();
            case JsonObject object -> write(object.fields(), generator);
            case Map<?, ?> object -> {
                generator.writeStartObject();
                for (var field : object.entrySet()) {
                    if (field.getValue() != null) {
                        generator.writeFieldName(String.valueOf(field.getKey()));
                        write(field.getValue(), generator);
                    }
                }
                generator.writeEndObject();
            }
            case List<?> items -> {
                generator.writeStartArray();
                for (Object item : items) {
                    write(item, generator);
                }
                generator.writeEndArray();
            }
            case Boolean flag -> generator.writeBoolean(flag);
            case Integer number -> generator.writeNumber(number);
            case Long number -> generator.writeNumber(number);
            case Double number -> generator.writeNumber(number);
            default -> generator.writeString(value.toString());
        }
    }
}
