package io.berth.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A JSON object as it was read. A getter of a field that is absent or of another type gives the
/// empty value of its own type, as the gateway leaves out what does not apply.
public record JsonObject(Map<String, @Nullable Object> fields) {

    public static final JsonObject EMPTY = new JsonObject(Map.of());

    private static final JsonFactory FACTORY = new JsonFactory();

    /// The object that this text is.
    ///
    /// @throws IOException if it is none
    public static JsonObject read(byte[] text) throws IOException {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("the text is no JSON object");
            }
            return object(parser);
        }
    }

    private static JsonObject object(JsonParser parser) throws IOException {
        var fields = new LinkedHashMap<String, @Nullable Object>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            fields.put(name, value(parser));
        }
        return new JsonObject(fields);
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> {
                var items = new ArrayList<@Nullable Object>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    items.add(value(parser));
                }
                yield items;
            }
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> Boolean.TRUE;
            case VALUE_FALSE -> Boolean.FALSE;
            default -> null;
        };
    }

    public boolean has(String name) {
        return fields.get(name) != null;
    }

    /// The text, "" if there is none.
    public String text(String name) {
        return fields.get(name) instanceof String text ? text : "";
    }

    /// The number without its fraction, 0 if there is none.
    public long number(String name) {
        return fields.get(name) instanceof Number number ? number.longValue() : 0;
    }

    public double decimal(String name) {
        return fields.get(name) instanceof Number number ? number.doubleValue() : 0;
    }

    public boolean flag(String name) {
        return Boolean.TRUE.equals(fields.get(name));
    }

    public JsonObject object(String name) {
        return fields.get(name) instanceof JsonObject object ? object : EMPTY;
    }

    /// The objects of a list, without what is none.
    public List<JsonObject> objects(String name) {
        var objects = new ArrayList<JsonObject>();
        if (fields.get(name) instanceof List<?> items) {
            for (Object item : items) {
                if (item instanceof JsonObject object) {
                    objects.add(object);
                }
            }
        }
        return objects;
    }

    /// The texts of a list, without what is none.
    public List<String> texts(String name) {
        var texts = new ArrayList<String>();
        if (fields.get(name) instanceof List<?> items) {
            for (Object item : items) {
                if (item instanceof String text) {
                    texts.add(text);
                }
            }
        }
        return texts;
    }

    /// The whole numbers of a list, without what is none.
    public List<Long> numbers(String name) {
        var numbers = new ArrayList<Long>();
        if (fields.get(name) instanceof List<?> items) {
            for (Object item : items) {
                if (item instanceof Number number) {
                    numbers.add(number.longValue());
                }
            }
        }
        return numbers;
    }
}
