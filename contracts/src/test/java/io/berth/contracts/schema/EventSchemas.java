package io.berth.contracts.schema;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.Added;
import io.berth.contracts.json.Json;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Makes the JSON Schema (2020-12) of an event from its record, by the rules that [Json] writes it
/// by: a component is required unless it may be null or was added later, and fields that the schema
/// does not name are allowed.
final class EventSchemas {
    private final SourceDocs docs = new SourceDocs();

    /// A schema that stands alone, with the types that it is made of under `$defs`.
    ///
    /// @param title the CloudEvents type, `berth.jobs.v1/Ended`
    ObjectNode of(String title, Class<?> event) {
        var types = new TreeMap<String, ObjectNode>();
        ObjectNode schema = Json.mapper().createObjectNode();
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put("title", title);
        schema.setAll(record(event, types));
        if (!types.isEmpty()) {
            schema.set("$defs", Json.mapper().valueToTree(types));
        }
        return schema;
    }

    private ObjectNode record(Class<?> type, Map<String, ObjectNode> types) {
        ObjectNode schema = described(docs.of(type));
        schema.put("type", "object");
        ObjectNode properties = schema.putObject("properties");
        ArrayNode required = Json.mapper().createArrayNode();
        Constructor<?> constructor = canonical(type);
        RecordComponent[] components = type.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            RecordComponent component = components[i];
            ObjectNode property = described(docs.of(type, component.getName()));
            property.setAll(schema(component.getGenericType(), types));
            properties.set(component.getName(), property);
            boolean added = constructor.getParameters()[i].isAnnotationPresent(Added.class);
            if (!added && !component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                required.add(component.getName());
            }
        }
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        return schema;
    }

    private ObjectNode schema(Type type, Map<String, ObjectNode> types) {
        return switch (type) {
            case ParameterizedType generic when generic.getRawType() == List.class -> {
                ObjectNode list = described("").put("type", "array");
                list.set("items", schema(generic.getActualTypeArguments()[0], types));
                yield list;
            }
            case ParameterizedType generic when generic.getRawType() == Map.class -> {
                ObjectNode map = described("").put("type", "object");
                Type key = generic.getActualTypeArguments()[0];
                if (key != String.class) {
                    map.set("propertyNames", schema(key, types));
                }
                map.set("additionalProperties", schema(generic.getActualTypeArguments()[1], types));
                yield map;
            }
            case Class<?> plain -> plain(plain, types);
            default -> throw new IllegalStateException("no JSON Schema for " + type);
        };
    }

    private ObjectNode plain(Class<?> type, Map<String, ObjectNode> types) {
        ObjectNode schema = described("");
        if (type == String.class) {
            return schema.put("type", "string");
        }
        if (type == boolean.class || type == Boolean.class) {
            return schema.put("type", "boolean");
        }
        if (type == int.class || type == Integer.class) {
            return schema.put("type", "integer").put("format", "int32");
        }
        if (type == long.class || type == Long.class) {
            return schema.put("type", "integer").put("format", "int64");
        }
        String name = name(type);
        if (!types.containsKey(name)) {
            types.put(name, schema);
            types.put(name, named(type, types));
        }
        return described("").put("$ref", "#/$defs/" + name);
    }

    private ObjectNode named(Class<?> type, Map<String, ObjectNode> types) {
        if (type.isEnum()) {
            ObjectNode schema = described(docs.of(type)).put("type", "string");
            ArrayNode values = schema.putArray("enum");
            Stream.of(type.getEnumConstants())
                    .map(it -> Json.mapper().<JsonNode>valueToTree(it))
                    .forEach(values::add);
            return schema;
        }
        Type value = value(type);
        if (value != null) {
            ObjectNode schema = described(docs.of(type));
            schema.setAll(schema(value, types));
            return schema;
        }
        if (type.isRecord()) {
            return record(type, types);
        }
        throw new IllegalStateException("no JSON Schema for " + type);
    }

    /// The type that stands for it in JSON; null if it is an object there.
    private static @Nullable Type value(Class<?> type) {
        for (Method method : type.getDeclaredMethods()) {
            if (annotated(method)) {
                return method.getGenericReturnType();
            }
        }
        return null;
    }

    private static boolean annotated(AnnotatedElement element) {
        JsonValue annotation = element.getAnnotation(JsonValue.class);
        return annotation != null && annotation.value();
    }

    private static Constructor<?> canonical(Class<?> type) {
        Class<?>[] parameters =
                Stream.of(type.getRecordComponents())
                        .map(RecordComponent::getType)
                        .toArray(Class<?>[]::new);
        try {
            return type.getDeclaredConstructor(parameters);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("a record without its constructor: " + type, e);
        }
    }

    private static String name(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return outer == null ? type.getSimpleName() : name(outer) + "." + type.getSimpleName();
    }

    private static ObjectNode described(String text) {
        ObjectNode schema = Json.mapper().createObjectNode();
        return text.isEmpty() ? schema : schema.put("description", text);
    }
}
