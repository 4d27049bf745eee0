package io.berth.log;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/// The query parameters that a request may have: those that the method that answers it declares.
///
/// One that it does not declare is named to who sent it, as a filter with a slip of the pen would
/// show what was not asked for.
public final class QueryNames {
    /// Of a name that is told, in code points.
    private static final int MAX_SHOWN = 60;

    private QueryNames() {}

    /// Those that a method declares on its parameters and on the components of records among them.
    ///
    /// @param query the annotation that gives a parameter its name
    public static <A extends Annotation> Set<String> of(
            Method method, Class<A> query, Function<A, String> name) {
        Stream<AnnotatedElement> declared =
                Stream.of(method.getParameters())
                        .flatMap(it -> Stream.concat(Stream.of(it), components(it)));
        var names = new TreeSet<String>();
        declared.flatMap(it -> Stream.of(it.getAnnotationsByType(query)))
                .forEach(it -> names.add(name.apply(it)));
        return names;
    }

    private static Stream<? extends AnnotatedElement> components(Parameter parameter) {
        return parameter.getType().isRecord()
                ? Stream.of(parameter.getType().getDeclaredFields())
                : Stream.empty();
    }

    /// Those that were sent and are not there, in their order.
    public static List<String> unknown(Collection<String> sent, Set<String> there) {
        return sent.stream().filter(it -> !there.contains(it)).distinct().sorted().toList();
    }

    /// Why a request with these is refused, in one line.
    ///
    /// @param unknown at least one
    public static String refusal(List<String> unknown, Set<String> there) {
        return "there is no parameter '%s'; %s"
                .formatted(
                        shown(unknown.getFirst()),
                        there.isEmpty()
                                ? "this path has none"
                                : "there are: " + String.join(", ", there));
    }

    /// A name that somebody sent, as it may stand in a line.
    public static String shown(String name) {
        return name.codePoints()
                .limit(MAX_SHOWN)
                .map(it -> Character.isISOControl(it) ? '?' : it)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
