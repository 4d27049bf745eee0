package io.berth.submit.http;

import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import jakarta.inject.Singleton;

/// HTTP/2 is spoken over TLS alone. A client that asks for it in plain text, as Java's does unless
/// it is told not to, is answered in HTTP/1.1: after an upgrade an answer of many kilobytes often
/// stalls for ever (Vert.x 4.5.25; `curl --http2` shows it).
@Singleton
final class NoUpgrades implements HttpServerOptionsCustomizer {

    @Override
    public void customizeHttpServer(HttpServerOptions options) {
        options.setHttp2ClearTextEnabled(false);
    }
}
