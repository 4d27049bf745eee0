package io.berth.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.auth.SslEngineFactory;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// TLS of Kafka's clients with certificates in files, which are looked at for each connection: one
/// that was renewed is used from then on, and nothing has to be started anew. While it is half
/// written, or gone, the last that could be used is.
public final class PemSslEngineFactory implements SslEngineFactory {

    /// Files, as settings of a client.
    static final String AUTHORITY = "berth.tls.ca";

    static final String CERTIFICATE = "berth.tls.certificate";
    static final String KEY = "berth.tls.key";

    private static final Logger LOG = LoggerFactory.getLogger(PemSslEngineFactory.class);

    private Map<String, ?> configs = Map.of();
    private @Nullable Pair current;

    /// @param texts of the files that the factory is made of
    private record Pair(Map<String, Password> texts, DefaultSslEngineFactory engines) {}

    @Override
    public synchronized void configure(Map<String, ?> given) {
        configs = given;
        try {
            current = load(texts());
        } catch (IOException e) {
            throw new ConfigException("the certificates cannot be read: " + e.getMessage());
        }
    }

    @Override
    public SSLEngine createClientSslEngine(String peerHost, int peerPort, String verification) {
        return engines().createClientSslEngine(peerHost, peerPort, verification);
    }

    @Override
    public SSLEngine createServerSslEngine(String peerHost, int peerPort) {
        return engines().createServerSslEngine(peerHost, peerPort);
    }

    /// Kafka's own way of new certificates, which clients do not go.
    @Override
    public boolean shouldBeRebuilt(Map<String, Object> next) {
        return false;
    }

    @Override
    public Set<String> reconfigurableConfigs() {
        return Set.of();
    }

    @Override
    public @Nullable KeyStore keystore() {
        return engines().keystore();
    }

    @Override
    public @Nullable KeyStore truststore() {
        return engines().truststore();
    }

    @Override
    public void close() {}

    private synchronized DefaultSslEngineFactory engines() {
        Pair last = current;
        if (last == null) {
            throw new IllegalStateException("make a TLS engine: the factory is not configured");
        }
        try {
            var texts = texts();
            if (!texts.equals(last.texts())) {
                last = load(texts);
                current = last;
            }
        } catch (IOException | KafkaException e) {
            LOG.warn("Certificates cannot be read anew, the old ones are used: {}", e.getMessage());
        }
        return last.engines();
    }

    private Pair load(Map<String, Password> texts) throws IOException {
        requireTogether(texts);
        var settings = new HashMap<String, Object>(configs);
        settings.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, DefaultSslEngineFactory.PEM_TYPE);
        settings.put(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, DefaultSslEngineFactory.PEM_TYPE);
        settings.putAll(texts);
        var engines = new DefaultSslEngineFactory();
        engines.configure(settings);
        return new Pair(texts, engines);
    }

    private Map<String, Password> texts() throws IOException {
        var texts = new HashMap<String, Password>();
        read(AUTHORITY, SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG, texts);
        read(CERTIFICATE, SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG, texts);
        read(KEY, SslConfigs.SSL_KEYSTORE_KEY_CONFIG, texts);
        return texts;
    }

    /// Of a pair of which only one is renewed yet, a broker would refuse the certificate.
    private static void requireTogether(Map<String, Password> texts) throws IOException {
        Password chain = texts.get(SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG);
        Password key = texts.get(SslConfigs.SSL_KEYSTORE_KEY_CONFIG);
        if (chain != null && key != null && !Pem.together(chain.value(), key.value())) {
            throw new IOException("the key is not that of the certificate");
        }
    }

    private void read(String file, String setting, Map<String, Password> into) throws IOException {
        if (configs.get(file) instanceof String path) {
            into.put(setting, new Password(Files.readString(Path.of(path))));
        }
    }
}
