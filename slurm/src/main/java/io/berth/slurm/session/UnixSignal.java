package io.berth.slurm.session;

import java.lang.reflect.Proxy;

/// Signals to this process, by way of `sun.misc.Signal`, which the compiler lets nobody name.
public final class UnixSignal {

    private UnixSignal() {}

    /// Runs an action at each signal of that name (`INT`, `WINCH`), instead of what the JVM does.
    /// Nothing happens where signals cannot be handled.
    public static void handle(String name, Runnable action) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxy =
                    Proxy.newProxyInstance(
                            UnixSignal.class.getClassLoader(),
                            new Class<?>[] {handler},
                            (self, method, arguments) ->
                                    switch (method.getName()) {
                                        case "handle" -> {
                                            action.run();
                                            yield null;
                                        }
                                        case "hashCode" -> System.identityHashCode(self);
                                        case "equals" ->
                                                System.identityHashCode(self)
                                                        == System.identityHashCode(arguments[0]);
                                        default -> "handler of " + name;
                                    });
            var unused =
                    signal.getMethod("handle", signal, handler)
                            .invoke(
                                    null,
                                    signal.getConstructor(String.class).newInstance(name),
                                    proxy);
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            // Without it, the signal does what it does to every process.
        }
    }
}
