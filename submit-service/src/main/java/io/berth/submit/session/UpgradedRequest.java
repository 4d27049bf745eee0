package io.berth.submit.session;

import io.quarkus.runtime.annotations.RegisterForReflection;
import io.quarkus.vertx.http.runtime.filters.QuarkusRequestWrapper;
import io.vertx.core.http.HttpServerRequest;
import java.lang.reflect.Method;

/// A request that became a WebSocket. Quarkus counts a request as one that is worked on until its
/// response has ended; that of an upgrade never does, so that each session would keep the gateway
/// from stopping until `quarkus.shutdown.timeout` is over. Quarkus offers no other way to tell it.
@RegisterForReflection(targets = QuarkusRequestWrapper.class)
final class UpgradedRequest {

    private UpgradedRequest() {}

    /// Tells Quarkus that the request has been answered.
    static void done(HttpServerRequest request) {
        try {
            Method done = QuarkusRequestWrapper.class.getDeclaredMethod("done");
            done.setAccessible(true);
            done.invoke(QuarkusRequestWrapper.get(request));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("tell Quarkus that an upgrade was answered", e);
        }
    }
}
