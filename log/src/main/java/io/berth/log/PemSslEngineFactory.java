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

    private static final String OF_TLS = "ssl.";

    /// The last that was made in this process, where most clients have the same certificate: Kafka
    /// keeps its key encrypted, by a password that takes long to turn into a key of its own.
    private static volatile @Nullable Pair latest;

    private Map<String, ?> configs = Map.of();
    private @Nullable Pair current;

    /// @param settings of TLS, with the texts of the files, that the factory is made of
    private record Pair(Map<String, Object> settings, DefaultSslEngineFactory engines) {}

    @Override
    public synchronized void configure(Map<String, ?> given) {
        configs = given;
        try {
            current = load(settings());
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
            var settings = settings();
            if (!settings.equals(last.settings())) {
                last = load(settings);
                current = last;
            }
        } catch (IOException | KafkaException e) {
            LOG.warn("Certificates cannot be read anew, the old ones are used: {}", e.getMessage());
        }
        return last.engines();
    }

    private static Pair load(Map<String, Object> settings) throws IOException {
        Pair known = latest;
        if (known != null && known.settings().equals(settings)) {
            return known;
        }
        requireTogether(settings);
        var engines = new DefaultSslEngineFactory();
        engines.configure(settings);
        var loaded = new Pair(settings, engines);
        latest = loaded;
        return loaded;
    }

    private Map<String, Object> settings() throws IOException {
        var settings = new HashMap<String, Object>(configs);
        settings.keySet().removeIf(name -> !name.startsWith(OF_TLS));
        settings.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, DefaultSslEngineFactory.PEM_TYPE);
        settings.put(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, DefaultSslEngineFactory.PEM_TYPE);
        read(AUTHORITY, SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG, settings);
        read(CERTIFICATE, SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG, settings);
        read(KEY, SslConfigs.SSL_KEYSTORE_KEY_CONFIG, settings);
        return settings;
    }

    /// Of a pair of which only one is renewed yet, a broker would refuse the certificate.
    private static void requireTogether(Map<String, Object> settings) throws IOException {
        if (settings.get(SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG) instanceof Password chain
                && settings.get(SslConfigs.SSL_KEYSTORE_KEY_CONFIG) instanceof Password key
                && !Pem.together(chain.value(), key.value())) {
            throw new IOException("the key is not that of the certificate");
        }
    }

    private void read(String file, String setting, Map<String, Object> into) throws IOException {
        if (configs.get(file) instanceof String path) {
            into.put(setting, new Password(Files.readString(Path.of(path))));
        }
    }
}
