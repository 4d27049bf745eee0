package io.berth.contracts.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;

/// The JSON of all events: record components in their order, no nulls, unknown fields ignored. A
/// missing field is an error unless it is `@Nullable`.
public final class Json {

    private static final ObjectMapper MAPPER =
            JsonMapper.builder()
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                    .defaultPropertyInclusion(
                            JsonInclude.Value.construct(
                                    JsonInclude.Include.NON_NULL, JsonInclude.Include.USE_DEFAULTS))
                    .annotationIntrospector(new RequiredUnlessNullable())
                    .addModule(
                            new SimpleModule().addDeserializer(String.class, new RecurringTexts()))
                    .addModule(RecurringDescriptions.module())
                    .build();

    /// A mapper of its own, since each remembers descriptions that it has read.
    private static final ObjectMapper STRICT =
            MAPPER.copy().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private Json() {}

    public static ObjectMapper mapper() {
        return MAPPER;
    }

    /// Does not ignore unknown fields.
    static ObjectMapper strict() {
        return STRICT;
    }
}
