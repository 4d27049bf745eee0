package io.berth.accounting.db;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.berth.contracts.json.Json;
import io.smallrye.mutiny.Uni;
import jakarta.persistence.Table;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny;

/// Reads the rows of a table in which a column has one of some values, by a statement that is the
/// same for any number of them. The query language has one with a parameter for each value: it
/// makes that anew for each batch, and the database plans it anew.
///
/// @param statement with the values as a JSON array in `:values`
record Among<R>(Class<R> entity, String statement) {

    /// The condition that a row is of one of the jobs that `:jobs` lists, of which there may be
    /// more than a statement may have parameters.
    static final String JOBS =
            "cast(sql('? = any(string_to_array(?, '','')::bigint[])', job, :jobs) as boolean) = true";

    /// As `:jobs` has them.
    static String listed(Collection<Long> ids) {
        return ids.stream().map(Object::toString).collect(Collectors.joining(","));
    }

    static <R> Among<R> numbers(Class<R> entity, String column) {
        return of(entity, column, "bigint");
    }

    static <R> Among<R> texts(Class<R> entity, String column) {
        return of(entity, column, "text");
    }

    private static <R> Among<R> of(Class<R> entity, String column, String type) {
        String table = Objects.requireNonNull(entity.getAnnotation(Table.class)).name();
        return new Among<>(
                entity,
                """
                select * from %s where %s = any(array(
                    select cast(each.value as %s)
                    from json_array_elements_text(cast(cast(:values as text) as json)) each))\
                """
                        .formatted(table, column, type));
    }

    Uni<List<R>> read(Mutiny.Session session, Collection<?> values) {
        return values.isEmpty()
                ? Uni.createFrom().item(List.of())
                : session.createNativeQuery(statement, entity)
                        .setParameter("values", json(values))
                        .getResultList();
    }

    private static String json(Collection<?> values) {
        try {
            return Json.mapper().writeValueAsString(values);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("no JSON of " + values, e);
        }
    }
}
