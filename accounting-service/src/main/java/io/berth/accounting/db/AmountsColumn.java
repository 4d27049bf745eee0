package io.berth.accounting.db;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import io.berth.contracts.json.Json;
import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Converter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Amounts by name as a column of JSON, such as `{"a100":3600000}`. No amounts are null.
@Converter
public class AmountsColumn implements AttributeConverter<Map<String, Long>, @Nullable String> {

    private static final TypeReference<Map<String, Long>> AMOUNTS = new TypeReference<>() {};

    @Override
    public @Nullable String convertToDatabaseColumn(@Nullable Map<String, Long> amounts) {
        if (amounts == null || amounts.isEmpty()) {
            return null;
        }
        try {
            return Texts.storable(Json.mapper().writeValueAsString(amounts));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("writing amounts by name: no JSON of them", e);
        }
    }

    @Override
    public Map<String, Long> convertToEntityAttribute(@Nullable String column) {
        if (column == null) {
            return Map.of();
        }
        try {
            return Json.mapper().readValue(column, AMOUNTS);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(
                    "reading amounts by name: expected JSON, found " + column, e);
        }
    }
}
