package io.berth.accounting;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/// The cluster file of this service: the one that its settings name, or the example.
final class ClusterSource {

    /// What the file says.
    record Text(String yaml, String sha256) {}

    private final AccountingConfig config;

    ClusterSource(AccountingConfig config) {
        this.config = config;
    }

    String name() {
        return config.clusterFile().map(Path::toString).orElse("accounts.yaml");
    }

    Text read() throws IOException {
        String yaml = text();
        return new Text(yaml, sha256(yaml));
    }

    private String text() throws IOException {
        if (config.clusterFile().isPresent()) {
            return Files.readString(config.clusterFile().get());
        }
        try (InputStream in = ClusterSource.class.getResourceAsStream("/accounts.yaml")) {
            if (in == null) {
                throw new IOException("it is not on the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static String sha256(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
