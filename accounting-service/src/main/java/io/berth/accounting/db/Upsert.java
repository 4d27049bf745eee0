package io.berth.accounting.db;

import com.fasterxml.jackson.core.JsonGenerator;
import io.berth.contracts.json.Json;
import io.smallrye.mutiny.Uni;
import jakarta.persistence.AttributeConverter;
import jakarta.persistence.AttributeOverride;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embedded;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny;
import org.jspecify.annotations.Nullable;

/// Writes rows of one table whole, many by one statement, be they there already or not. A statement
/// for each row, as a session writes them, costs more than all else that is done for a short job.
///
/// The rows go as one text of JSON that PostgreSQL takes apart. Their columns are those that the
/// annotations of the entity say.
final class Upsert<T> {

    /// A column, and how one comes from the row to what the database keeps.
    ///
    /// @param path of fields, from the row through what is embedded in it
    /// @param converter null if it keeps the field's own value
    private record Stored(
            String name,
            boolean key,
            List<Field> path,
            @Nullable AttributeConverter<Object, Object> converter) {

        @Nullable Object of(Object row) throws IllegalAccessException {
            Object value = row;
            for (Field field : path) {
                if (value != null) {
                    value = field.get(value);
                }
            }
            return converter == null ? value : converter.convertToDatabaseColumn(value);
        }
    }

    private final List<Stored> columns = new ArrayList<>();
    private final String statement;

    /// @param entity the class of the rows, with its table's name and a key
    Upsert(Class<T> entity) {
        add(entity, List.of(), Map.of());
        String table = Objects.requireNonNull(entity.getAnnotation(Table.class)).name();
        String all = columns.stream().map(Stored::name).collect(Collectors.joining(", "));
        String key =
                columns.stream()
                        .filter(Stored::key)
                        .map(Stored::name)
                        .collect(Collectors.joining(", "));
        String others =
                columns.stream()
                        .filter(it -> !it.key())
                        .map(it -> it.name() + " = excluded." + it.name())
                        .collect(Collectors.joining(", "));
        statement =
                """
                insert into %s (%s)
                select %2$s from json_populate_recordset(cast(null as %1$s), cast(cast(:rows as text) as json))
                on conflict (%3$s) do update set %4$s\
                """
                        .formatted(table, all, key, others);
    }

    private void add(Class<?> from, List<Field> path, Map<String, String> renamed) {
        for (Field field : from.getDeclaredFields()) {
            int modifiers = field.getModifiers();
            // What Hibernate adds to its entities is transient.
            if (Modifier.isStatic(modifiers) || Modifier.isTransient(modifiers)) {
                continue;
            }
            field.setAccessible(true);
            var to = new ArrayList<>(path);
            to.add(field);
            if (field.isAnnotationPresent(Embedded.class)) {
                add(field.getType(), to, renames(field));
            } else {
                String name = renamed.getOrDefault(field.getName(), name(field));
                boolean key = field.isAnnotationPresent(Id.class);
                columns.add(new Stored(name, key, List.copyOf(to), converter(field)));
            }
        }
    }

    private static Map<String, String> renames(Field embedded) {
        var renames = new HashMap<String, String>();
        for (AttributeOverride one : embedded.getAnnotationsByType(AttributeOverride.class)) {
            renames.put(one.name(), one.column().name());
        }
        return renames;
    }

    private static String name(Field field) {
        Column column = field.getAnnotation(Column.class);
        return column == null ? field.getName() : column.name();
    }

    @SuppressWarnings("unchecked")
    private static @Nullable AttributeConverter<Object, Object> converter(Field field) {
        Convert convert = field.getAnnotation(Convert.class);
        if (convert == null) {
            return null;
        }
        try {
            return (AttributeConverter<Object, Object>)
                    convert.converter().getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a converter of " + field, e);
        }
    }

    /// Writes the rows, each of another key.
    Uni<Void> write(Mutiny.Session session, Collection<? extends T> rows) {
        return rows.isEmpty()
                ? Uni.createFrom().voidItem()
                : session.createNativeQuery(statement)
                        .setParameter("rows", json(rows))
                        .executeUpdate()
                        .replaceWithVoid();
    }

    /// The rows as objects by the names of their columns; a null is no field.
    String json(Collection<? extends T> rows) {
        var text = new StringWriter();
        try (JsonGenerator json = Json.mapper().createGenerator(text)) {
            json.writeStartArray();
            for (T row : rows) {
                json.writeStartObject();
                for (Stored column : columns) {
                    write(json, column.name(), column.of(row));
                }
                json.writeEndObject();
            }
            json.writeEndArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("a row's field cannot be read", e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, String name, @Nullable Object value)
            throws IOException {
        switch (value) {
            case null -> {}
            case Long it -> json.writeNumberField(name, it);
            case Integer it -> json.writeNumberField(name, it);
            case Boolean it -> json.writeBooleanField(name, it);
            case String it -> json.writeStringField(name, it);
            case Enum<?> it -> json.writeStringField(name, it.name());
            default ->
                    throw new IllegalStateException(
                            "column " + name + ": no way to write a " + value.getClass().getName());
        }
    }
}
