package io.berth.contracts.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.SegmentedStringWriter;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.core.json.UTF8JsonGenerator;
import com.fasterxml.jackson.core.util.BufferRecycler;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import com.fasterxml.jackson.databind.ser.ContextualSerializer;
import com.fasterxml.jackson.databind.ser.ResolvableSerializer;
import io.berth.contracts.JobDescription;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Descriptions of jobs, which recur: each state of a job repeats its own, and jobs that are
/// submitted together often have the same. A text that was read a while ago gives the object that
/// it gave then; an object that was written a while ago is copied.
///
/// Each way has a table with one place for each hash, the last comer in it. Several threads may use
/// them at once: what they lose to one another is only the saving.
final class RecurringDescriptions {

    /// The attribute of a reader that is the bytes which it reads; without it each text is read
    /// anew.
    static final Object SOURCE = RecurringDescriptions.class;

    private static final int PLACES = 1 << 10;

    /// Longer descriptions, of many nodes, would fill the tables.
    private static final int LONGEST = 4 << 10;

    private RecurringDescriptions() {}

    static SimpleModule module() {
        return new SimpleModule("recurring-descriptions")
                .setDeserializerModifier(
                        new BeanDeserializerModifier() {
                            @Override
                            public JsonDeserializer<?> modifyDeserializer(
                                    DeserializationConfig config,
                                    BeanDescription bean,
                                    JsonDeserializer<?> deserializer) {
                                return bean.getBeanClass() == JobDescription.class
                                        ? new Reader(deserializer, new Read[PLACES])
                                        : deserializer;
                            }
                        })
                .setSerializerModifier(
                        new BeanSerializerModifier() {
                            @Override
                            @SuppressWarnings("unchecked")
                            public JsonSerializer<?> modifySerializer(
                                    SerializationConfig config,
                                    BeanDescription bean,
                                    JsonSerializer<?> serializer) {
                                return bean.getBeanClass() == JobDescription.class
                                        ? new Writer(
                                                (JsonSerializer<Object>) serializer,
                                                new Written[PLACES])
                                        : serializer;
                            }
                        });
    }

    private record Read(byte[] text, Object description) {}

    private record Written(Object description, SerializedString text) {}

    private static final class Reader extends DelegatingDeserializer {

        private static final long serialVersionUID = 1;

        @SuppressWarnings("serial")
        private final @Nullable Read[] last;

        Reader(JsonDeserializer<?> plain, @Nullable Read[] last) {
            super(plain);
            this.last = last;
        }

        @Override
        protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> plain) {
            return new Reader(plain, last);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context)
                throws IOException {
            if (!(context.getAttribute(SOURCE) instanceof byte[] source)
                    || parser.currentToken() != JsonToken.START_OBJECT) {
                return super.deserialize(parser, context);
            }
            int begin = (int) parser.currentTokenLocation().getByteOffset();
            int end = end(source, begin);
            if (end < 0 || end - begin > LONGEST) {
                return super.deserialize(parser, context);
            }
            var crc = new CRC32C();
            crc.update(source, begin, end - begin);
            int place = (int) crc.getValue() & (PLACES - 1);
            Read known = last[place];
            if (known != null
                    && Arrays.equals(known.text(), 0, known.text().length, source, begin, end)) {
                parser.skipChildren();
                return known.description();
            }
            Object description = super.deserialize(parser, context);
            last[place] = new Read(Arrays.copyOfRange(source, begin, end), description);
            return description;
        }

        /// After the object that begins there; -1 if none does, or it does not end.
        private static int end(byte[] json, int begin) {
            if (begin < 0 || begin >= json.length || json[begin] != '{') {
                return -1;
            }
            int depth = 0;
            boolean quoted = false;
            for (int i = begin; i < json.length; i++) {
                byte c = json[i];
                if (c == '"') {
                    quoted = !quoted;
                } else if (quoted) {
                    i += c == '\\' ? 1 : 0;
                } else if (c == '{') {
                    depth++;
                } else if (c == '}' && --depth == 0) {
                    return i + 1;
                }
            }
            return -1;
        }
    }

    private static final class Writer extends JsonSerializer<Object>
            implements ContextualSerializer, ResolvableSerializer {

        private final JsonSerializer<Object> plain;
        private final @Nullable Written[] last;

        Writer(JsonSerializer<Object> plain, @Nullable Written[] last) {
            this.plain = plain;
            this.last = last;
        }

        @Override
        public void resolve(SerializerProvider provider) throws JsonMappingException {
            if (plain instanceof ResolvableSerializer resolvable) {
                resolvable.resolve(provider);
            }
        }

        @Override
        @SuppressWarnings("unchecked")
        public JsonSerializer<?> createContextual(
                SerializerProvider provider, @Nullable BeanProperty property)
                throws JsonMappingException {
            JsonSerializer<?> there = provider.handleSecondaryContextualization(plain, property);
            return there.equals(plain) ? this : new Writer((JsonSerializer<Object>) there, last);
        }

        @Override
        public void serialize(Object value, JsonGenerator json, SerializerProvider provider)
                throws IOException {
            if (!(json instanceof UTF8JsonGenerator) || json.getPrettyPrinter() != null) {
                plain.serialize(value, json, provider);
                return;
            }
            int place = System.identityHashCode(value) & (PLACES - 1);
            Written known = last[place];
            if (known == null || !known.description().equals(value)) {
                var apart = new SegmentedStringWriter(new BufferRecycler());
                try (JsonGenerator there = json.getCodec().getFactory().createGenerator(apart)) {
                    plain.serialize(value, there, provider);
                }
                String text = apart.getAndClear();
                known = new Written(value, new SerializedString(text));
                if (text.length() <= LONGEST) {
                    last[place] = known;
                }
            }
            json.writeRawValue(known.text());
        }
    }
}
