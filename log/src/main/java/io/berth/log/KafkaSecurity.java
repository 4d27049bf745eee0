package io.berth.log;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.security.scram.ScramLoginModule;
import org.jspecify.annotations.Nullable;

/// How a client knows the brokers, and how they know it: by files in PEM, as `openssl`, Strimzi and
/// cert-manager write them. Without an authority all goes in plain text, and nobody is asked who he
/// is; a password is never sent, and never used, without TLS.
///
/// @param authority `kafka.tls.ca`: the certificates that brokers' certificates lead to. Brokers
///   have the name that they are reached by
/// @param certificate `kafka.tls.certificate`: the client's own, and those between it and an
///   authority that the brokers know
/// @param key `kafka.tls.key`: of that certificate, in PKCS #8, RSA or EC, without a password
/// @param username `kafka.sasl.username`: the client's name, by SCRAM-SHA-512
/// @param passwordFile `kafka.sasl.password-file`: what that name is proven with
public record KafkaSecurity(
        @Nullable Path authority,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable String username,
        @Nullable Path passwordFile) {

    /// Plain text, for brokers on this machine or on a network of their own.
    public static final KafkaSecurity NONE = new KafkaSecurity(null, null, null, null, null);

    private static final String CA = "kafka.tls.ca";
    private static final String CERTIFICATE = "kafka.tls.certificate";
    private static final String KEY = "kafka.tls.key";
    private static final String USERNAME = "kafka.sasl.username";
    private static final String PASSWORD_FILE = "kafka.sasl.password-file";

    /// The names of all settings.
    public static final List<String> SETTINGS =
            List.of(CA, CERTIFICATE, KEY, USERNAME, PASSWORD_FILE);

    private static final String MECHANISM = "SCRAM-SHA-512";

    /// What settings tell. Files are read once, to see that they can be used.
    ///
    /// @throws ConfigException if one is missing or cannot be used, with its setting and file
    static KafkaSecurity of(Function<String, Optional<String>> settings) {
        requireBoth(settings, CERTIFICATE, KEY);
        requireBoth(settings, USERNAME, PASSWORD_FILE);
        for (String name : SETTINGS) {
            if (settings.apply(name).isPresent() && settings.apply(CA).isEmpty()) {
                throw new ConfigException(name + " is set, and " + CA + " is not: there is no TLS");
            }
        }
        return new KafkaSecurity(
                certificates(settings, CA),
                certificates(settings, CERTIFICATE),
                checked(settings, KEY, key -> checkKey(key, settings.apply(CERTIFICATE))),
                settings.apply(USERNAME).orElse(null),
                checked(settings, PASSWORD_FILE, KafkaSecurity::password));
    }

    private static void requireBoth(
            Function<String, Optional<String>> settings, String one, String other) {
        boolean given = settings.apply(one).isPresent();
        if (given != settings.apply(other).isPresent()) {
            throw new ConfigException(
                    "%s is set, and %s is not: they go together"
                            .formatted(given ? one : other, given ? other : one));
        }
    }

    /// The settings of Kafka's clients. The password is read now.
    Map<String, Object> settings() {
        var settings = new HashMap<String, Object>();
        if (authority == null) {
            return settings;
        }
        settings.put(SslConfigs.SSL_ENGINE_FACTORY_CLASS_CONFIG, PemSslEngineFactory.class);
        settings.put(PemSslEngineFactory.AUTHORITY, authority.toString());
        if (certificate != null && key != null) {
            settings.put(PemSslEngineFactory.CERTIFICATE, certificate.toString());
            settings.put(PemSslEngineFactory.KEY, key.toString());
        }
        SecurityProtocol protocol = SecurityProtocol.SSL;
        if (username != null && passwordFile != null) {
            protocol = SecurityProtocol.SASL_SSL;
            settings.put(SaslConfigs.SASL_MECHANISM, MECHANISM);
            settings.put(SaslConfigs.SASL_JAAS_CONFIG, login(username, passwordFile));
        }
        settings.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, protocol.name);
        return settings;
    }

    private static Password login(String username, Path passwordFile) {
        try {
            return new Password(
                    "%s required username=%s password=%s;"
                            .formatted(
                                    ScramLoginModule.class.getName(),
                                    quoted(username),
                                    quoted(password(passwordFile))));
        } catch (IOException e) {
            throw new ConfigException(PASSWORD_FILE + ": " + e.getMessage());
        }
    }

    /// As JAAS reads it.
    private static String quoted(String word) {
        return '"' + word.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String password(Path file) throws IOException {
        String password = PrivateFile.read(file).stripTrailing();
        if (password.isEmpty() || password.lines().count() > 1) {
            throw new IOException(file + " is not one line with a password");
        }
        return password;
    }

    private interface Check {
        void of(Path file) throws IOException;
    }

    private static @Nullable Path certificates(
            Function<String, Optional<String>> settings, String name) {
        return checked(settings, name, KafkaSecurity::checkCertificates);
    }

    private static @Nullable Path checked(
            Function<String, Optional<String>> settings, String name, Check check) {
        Optional<String> given = settings.apply(name);
        if (given.isEmpty()) {
            return null;
        }
        Path file = Path.of(given.get());
        try {
            check.of(file);
            return file;
        } catch (NoSuchFileException e) {
            throw new ConfigException(name + ": there is no file " + file);
        } catch (AccessDeniedException e) {
            throw new ConfigException(name + ": this process may not read " + file);
        } catch (CharacterCodingException e) {
            throw new ConfigException(name + ": " + file + " is no text");
        } catch (IOException e) {
            throw new ConfigException(name + ": " + e.getMessage());
        }
    }

    private static void checkCertificates(Path file) throws IOException {
        String text = Files.readString(file);
        try {
            if (!text.contains("-----BEGIN CERTIFICATE-----")) {
                throw new CertificateException("it has no BEGIN CERTIFICATE");
            }
            var bytes = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
            var unused = CertificateFactory.getInstance("X.509").generateCertificates(bytes);
        } catch (CertificateException e) {
            throw new IOException(file + " holds no certificates: " + e.getMessage(), e);
        }
    }

    private static void checkKey(Path file, Optional<String> certificate) throws IOException {
        String text = PrivateFile.read(file);
        if (text.contains("ENCRYPTED")) {
            throw new IOException(file + " is encrypted: a key without a password is needed");
        }
        try {
            var unused = Pem.block(text, "PRIVATE KEY");
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    file + " is no key in PKCS #8, which begins with BEGIN PRIVATE KEY", e);
        }
        if (certificate.isPresent()
                && !Pem.together(Files.readString(Path.of(certificate.get())), text)) {
            throw new IOException(file + " is not the key of " + certificate.get());
        }
    }
}
