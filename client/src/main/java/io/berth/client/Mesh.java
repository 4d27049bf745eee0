package io.berth.client;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Where the mesh's services are: what variables (`BERTH_URL` …) say, else what `berth up` has
/// written to `mesh.properties`, else this machine's default ports.
///
/// @param gateway address without a slash at its end
public record Mesh(String gateway, String accounting, String placement) {

    public static final int DEFAULT_PORT_BASE = 7600;

    private static final Pattern LOOPBACK =
            Pattern.compile(
                    "http://(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d+)?(/.*)?",
                    Pattern.CASE_INSENSITIVE);
    private static final Pattern ADDRESS =
            Pattern.compile("https?://[^/]", Pattern.CASE_INSENSITIVE);
    private static final int ACCOUNTING_OFFSET = 3;
    private static final int PLACEMENT_OFFSET = 2;

    public static Mesh of(Surroundings at) {
        Properties written = written(at.home().resolve("mesh.properties"));
        int base = portBase(at);
        return new Mesh(
                address(at, "BERTH_URL", written.getProperty("url", local(base))),
                address(
                        at,
                        "BERTH_ACCOUNTING_URL",
                        written.getProperty("accountingUrl", local(base + ACCOUNTING_OFFSET))),
                address(
                        at,
                        "BERTH_PLACEMENT_URL",
                        written.getProperty("placementUrl", local(base + PLACEMENT_OFFSET))));
    }

    /// The first of the addresses to which a token would go so that others on its way could read
    /// it, "" if there is none: of another machine by plain HTTP.
    public String plain() {
        return Stream.of(gateway, accounting, placement)
                .filter(Mesh::isPlain)
                .findFirst()
                .orElse("");
    }

    boolean gatewayIsPlain() {
        return isPlain(gateway);
    }

    /// Why nothing is sent to an address by plain HTTP, or to what is none.
    public static String refusal(String plain) {
        if (!ADDRESS.matcher(plain).lookingAt()) {
            return "'%s' is no address of a service: use https://HOST:PORT or http://HOST:PORT"
                    .formatted(plain);
        }
        return "no token is sent to %s, as others could read it on its way: use https, or set BERTH_PLAIN_HTTP=1 in a network that you trust"
                .formatted(plain);
    }

    private static boolean isPlain(String address) {
        return !address.toLowerCase(Locale.ROOT).startsWith("https://")
                && !LOOPBACK.matcher(address).matches();
    }

    private static String address(Surroundings at, String variable, String otherwise) {
        return trimmed(at.variable(variable, otherwise));
    }

    /// An address without a slash at its end.
    static String trimmed(String address) {
        return address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
    }

    private static String local(int port) {
        return "http://127.0.0.1:" + port;
    }

    private static int portBase(Surroundings at) {
        String base = at.variable("BERTH_PORT_BASE", "");
        try {
            return base.isEmpty() ? DEFAULT_PORT_BASE : Integer.parseInt(base);
        } catch (NumberFormatException e) {
            return DEFAULT_PORT_BASE;
        }
    }

    private static Properties written(Path file) {
        var properties = new Properties();
        if (Files.isReadable(file)) {
            try (Reader reader = Files.newBufferedReader(file)) {
                properties.load(reader);
            } catch (IOException | IllegalArgumentException e) {
                properties.clear();
            }
        }
        return properties;
    }
}
