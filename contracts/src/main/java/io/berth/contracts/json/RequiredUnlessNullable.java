package io.berth.contracts.json;

import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import io.berth.contracts.Added;
import java.lang.reflect.Executable;
import org.jspecify.annotations.Nullable;

/// Makes every constructor parameter of a record required, unless its type is `@Nullable` or it was
/// [Added] later.
final class RequiredUnlessNullable extends JacksonAnnotationIntrospector {

    @Override
    public @Nullable Boolean hasRequiredMarker(AnnotatedMember member) {
        if (member instanceof AnnotatedParameter parameter
                && parameter.getOwner().getAnnotated() instanceof Executable executable
                && parameter.getDeclaringClass().isRecord()) {
            return !parameter.hasAnnotation(Added.class)
                    && !executable.getAnnotatedParameterTypes()[parameter.getIndex()]
                            .isAnnotationPresent(Nullable.class);
        }
        return super.hasRequiredMarker(member);
    }
}
