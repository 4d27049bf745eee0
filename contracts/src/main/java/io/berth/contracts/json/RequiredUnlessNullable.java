package io.berth.contracts.json;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import io.berth.contracts.Added;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Executable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Makes every constructor parameter of a record required, unless its type is `@Nullable` or it was
/// [Added] later. A `null` that is written out is as good as no field, and none of a list's
/// elements or a map's values is null.
final class RequiredUnlessNullable extends JacksonAnnotationIntrospector {

    @Override
    public @Nullable Boolean hasRequiredMarker(AnnotatedMember member) {
        AnnotatedType type = parameterOfRecord(member);
        return type == null ? super.hasRequiredMarker(member) : (Boolean) isRequired(member, type);
    }

    @Override
    public JsonSetter.Value findSetterInfo(Annotated annotated) {
        AnnotatedType type = parameterOfRecord(annotated);
        if (type == null) {
            return super.findSetterInfo(annotated);
        }
        boolean holdsNulls =
                type instanceof AnnotatedParameterizedType generic
                        && Stream.of(generic.getAnnotatedActualTypeArguments())
                                .anyMatch(it -> it.isAnnotationPresent(Nullable.class));
        return JsonSetter.Value.construct(
                isRequired(annotated, type) ? Nulls.FAIL : Nulls.DEFAULT,
                holdsNulls ? Nulls.DEFAULT : Nulls.FAIL);
    }

    private static boolean isRequired(Annotated parameter, AnnotatedType type) {
        return !parameter.hasAnnotation(Added.class) && !type.isAnnotationPresent(Nullable.class);
    }

    /// The type of a record's constructor parameter; null of anything else.
    private static @Nullable AnnotatedType parameterOfRecord(Annotated annotated) {
        return annotated instanceof AnnotatedParameter parameter
                        && parameter.getOwner().getAnnotated() instanceof Executable executable
                        && parameter.getDeclaringClass().isRecord()
                ? executable.getAnnotatedParameterTypes()[parameter.getIndex()]
                : null;
    }
}
