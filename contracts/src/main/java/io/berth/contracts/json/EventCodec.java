package io.berth.contracts.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.InvalidTypeIdException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import io.berth.contracts.JobDescription;
import io.berth.contracts.topic.Topic;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The events of one topic as JSON values, told apart by the CloudEvents type, `<topic>/<Event>`:
/// `berth.runs.v1/Ended`.
public final class EventCodec<E> {

    private final Topic<E> topic;
    private final ObjectWriter writer = Json.mapper().writer();
    private final Map<String, Reading> readers = new HashMap<>();
    private final boolean strict;

    /// How an event is read.
    ///
    /// @param descriptive whether it holds the description of a job
    private record Reading(ObjectReader reader, boolean descriptive) {

        static Reading of(Class<?> event, ObjectMapper mapper) {
            return new Reading(
                    mapper.readerFor(event),
                    event.isRecord()
                            && Stream.of(event.getRecordComponents())
                                    .anyMatch(it -> it.getType() == JobDescription.class));
        }

        @Nullable Object read(byte[] value) throws IOException {
            return (descriptive
                            ? reader.withAttribute(RecurringDescriptions.SOURCE, value)
                            : reader)
                    .readValue(value);
        }
    }

    /// One that ignores fields which it does not know.
    public EventCodec(Topic<E> topic) {
        this(topic, false);
    }

    private EventCodec(Topic<E> topic, boolean strict) {
        this.topic = topic;
        this.strict = strict;
        ObjectMapper mapper = strict ? Json.strict() : Json.mapper();
        for (Class<?> event : concrete(topic.events())) {
            readers.put(type(event), Reading.of(event, mapper));
        }
    }

    /// One for whom an event with a field, or a word, that it does not know is of an unknown type.
    public static <E> EventCodec<E> strict(Topic<E> topic) {
        return new EventCodec<>(topic, true);
    }

    /// The event's JSON, in UTF-8.
    public byte[] value(E event) {
        try {
            return writer.writeValueAsBytes(event);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(
                    "cannot write " + event.getClass().getName() + " of " + topic.name(), e);
        }
    }

    /// The event of that type with that JSON.
    ///
    /// @param type null if the record names none
    /// @param value null if the record has none
    /// @throws UnknownEventType if the topic has no such event: a newer writer's
    /// @throws CorruptEvent if the type is none of this topic's, in any version, or the value is
    ///   not that event's JSON
    public E event(@Nullable String type, byte @Nullable [] value)
            throws UnknownEventType, CorruptEvent {
        if (type == null || !type.startsWith(topic.name() + "/")) {
            throw new CorruptEvent(type + " is no event type of " + topic.name(), null);
        }
        Reading reading = readers.get(type);
        if (reading == null) {
            throw new UnknownEventType(topic.name() + " has no event type '" + type + "'");
        }
        Object event;
        try {
            event = value == null ? null : reading.read(value);
        } catch (JsonMappingException e) {
            if (strict && newer(e)) {
                throw new UnknownEventType("%s with %s".formatted(type, place(e)));
            }
            throw corrupt(type, e);
        } catch (IOException e) {
            throw corrupt(type, e);
        }
        if (event == null) {
            throw new CorruptEvent("not a " + type + ": it says nothing", null);
        }
        return topic.events().cast(event);
    }

    private static CorruptEvent corrupt(String type, IOException e) {
        String why = String.valueOf(e.getMessage()).replaceAll("\\s*\\R\\s*", " ");
        return new CorruptEvent("not a " + type + ": " + why, e);
    }

    /// Whether it is what a newer writer may have added: a field, one of several kinds, a word.
    private static boolean newer(JsonMappingException e) {
        return e instanceof UnrecognizedPropertyException
                || e instanceof InvalidTypeIdException
                || (e instanceof InvalidFormatException it && it.getTargetType().isEnum());
    }

    /// The field's name, after those of the fields that it stands in.
    private static String place(JsonMappingException e) {
        return e.getPath().stream()
                .map(Reference::getFieldName)
                .filter(Objects::nonNull)
                .collect(Collectors.joining("."));
    }

    /// The CloudEvents type of an event.
    public String type(E event) {
        return type(event.getClass());
    }

    private String type(Class<?> event) {
        return topic.name() + "/" + event.getSimpleName();
    }

    private static Iterable<Class<?>> concrete(Class<?> events) {
        Class<?>[] permitted = events.getPermittedSubclasses();
        return permitted == null ? List.of(events) : List.of(permitted);
    }

    /// An event type that this version does not know, or, to a strict reader, what an event says.
    public static final class UnknownEventType extends Exception {
        UnknownEventType(String message) {
            super(message);
        }
    }

    /// A record that is not an event of its topic in any version: no JSON of its type, or no type.
    public static final class CorruptEvent extends Exception {
        CorruptEvent(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
