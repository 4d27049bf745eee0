package io.berth.cli;

import static io.berth.cli.CliOption.flag;
import static io.berth.cli.CliOption.valued;

import io.berth.cli.CliOption.Words;
import io.berth.client.JsonText;
import io.berth.slurm.SlurmTime;
import io.berth.slurm.UserName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/// `berth token`: a JWT with which a user speaks to the mesh, signed with the mesh's private key.
final class TokenCommand implements Command {

    private static final long DEFAULT_LIFETIME_SECONDS = 30L * 86_400;
    private static final String ADMIN = "admin";
    private static final String OPERATOR = "operator";
    private static final String USER = "user";

    /// Groups that say what one may do.
    private static final List<String> ROLES = List.of(ADMIN, OPERATOR, USER);

    private static final long SOCKET_LIFETIME_SECONDS = 3600;

    private static final List<CliOption> OPTIONS =
            List.of(
                    flag("admin", '\0', "may act as any user, and change all"),
                    valued("admins", '\0', "users who get an admin's there"),
                    valued("groups", 'g', "that the user is in, with commas between them"),
                    flag("help", 'h', "this text"),
                    valued(
                            "lifetime",
                            'l',
                            "as a time limit, such as 12:00:00 or 7-0; 30-0 if not given"),
                    flag("operator", '\0', "may look after all users and their jobs"),
                    valued("scope", '\0', "good for this alone: read, submit or operate"),
                    valued(
                            "listen",
                            '\0',
                            "give each user of this machine his own at this Unix socket; for an hour, if no lifetime is given"),
                    valued("operators", '\0', "users who get an operator's there"),
                    flag("version", 'V', "Berth's version"));

    @Override
    public String synopsis() {
        return "token USER [--groups LIST] [--lifetime TIME] [--operator | --admin] [--scope SCOPE] | --listen SOCKET [--operators USERS] [--admins USERS]: a token for a user, or for each at a socket";
    }

    @Override
    public List<CliOption> options() {
        return OPTIONS;
    }

    @Override
    public int run(Terminal terminal, Words words) throws CommandFailure {
        String socket = words.value("listen");
        long otherwise = socket == null ? DEFAULT_LIFETIME_SECONDS : SOCKET_LIFETIME_SECONDS;
        long seconds = lifetime(words, otherwise);
        if (socket != null) {
            return listen(terminal, words, terminal.directory().resolve(socket), seconds);
        }
        if (words.has("operators") || words.has("admins")) {
            throw CommandFailure.error(
                    "token",
                    "--operators and --admins go with --listen; one token is made an operator's by --operator, an admin's by --admin");
        }
        if (words.operands().size() != 1 || words.operands().getFirst().isBlank()) {
            throw CommandFailure.error("token", "for which user? Give one name");
        }
        if (!UserName.isOne(words.operands().getFirst())) {
            throw CommandFailure.error(
                    "token",
                    "no user is named '"
                            + words.operands().getFirst()
                            + "': a name has up to 64 letters, digits and ._@-");
        }
        terminal.out()
                .print(
                        token(
                                        terminal,
                                        words.operands().getFirst(),
                                        groups(words),
                                        scope(words),
                                        seconds)
                                + "\n");
        return 0;
    }

    /// `berth:read`; empty for a token that is not limited.
    private static String scope(Words words) throws CommandFailure {
        String scope = words.value("scope");
        if (scope != null && !List.of("read", "submit", "operate").contains(scope)) {
            throw CommandFailure.error(
                    "token", "--scope=" + scope + " is none of read, submit and operate");
        }
        return scope == null ? "" : "berth:" + scope;
    }

    private static long lifetime(Words words, long otherwise) throws CommandFailure {
        String lifetime = words.value("lifetime");
        OptionalLong seconds =
                lifetime == null ? OptionalLong.of(otherwise) : SlurmTime.parseLimit(lifetime);
        if (seconds.isEmpty() || seconds.getAsLong() == 0) {
            throw CommandFailure.error("token", "Invalid --lifetime specification");
        }
        return seconds.getAsLong();
    }

    /// Until the process is ended.
    private static int listen(Terminal terminal, Words words, Path path, long seconds)
            throws CommandFailure {
        if (!words.operands().isEmpty()
                || words.has("operator")
                || words.has("admin")
                || words.has("groups")
                || words.has("scope")) {
            throw CommandFailure.error(
                    "token",
                    "at a socket each user gets his own, with his groups: give --operators and --admins, and no user");
        }
        List<String> operators = words.list("operators");
        List<String> admins = words.list("admins");
        TokenSocket.Mint mint =
                user ->
                        token(
                                terminal,
                                user,
                                groups(
                                        role(admins.contains(user), operators.contains(user)),
                                        UnixGroups.of(user)),
                                seconds);
        var unused = mint.token(terminal.user());
        try (var socket = TokenSocket.listen(path, mint)) {
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().unstarted(() -> closed(socket)));
            socket.serve();
            return 0;
        } catch (IOException e) {
            throw CommandFailure.error("token", "cannot listen at " + path + ": " + e.getMessage());
        }
    }

    private static void closed(TokenSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The next one replaces what is left of it.
        }
    }

    /// What he may, and the groups that this machine has him in. None of them gives him more than
    /// that, whatever its name.
    static List<String> groups(String role, List<String> unixGroups) {
        var groups = new ArrayList<String>();
        groups.add(role);
        unixGroups.stream().filter(it -> !ROLES.contains(it)).forEach(groups::add);
        return groups;
    }

    static String role(boolean admin, boolean operator) {
        return admin ? ADMIN : operator ? OPERATOR : USER;
    }

    /// What he may, and the groups that partitions know him by.
    private static List<String> groups(Words words) throws CommandFailure {
        String given = words.value("groups");
        var groups = new ArrayList<String>();
        groups.add(role(words.has("admin"), words.has("operator")));
        for (String group : given == null ? List.<String>of() : CliOption.split(given)) {
            if (group.equals(OPERATOR) || group.equals(ADMIN)) {
                throw CommandFailure.error(
                        "token", "group %1$s is given by --%1$s, not by --groups".formatted(group));
            }
            groups.add(group);
        }
        return groups;
    }

    /// Whether the caller may read the mesh's key, and so give tokens.
    static boolean mayGive(Terminal terminal) {
        return Files.isReadable(key(terminal));
    }

    private static Path key(Terminal terminal) {
        return terminal.home().resolve("keys").resolve("token-private.pem");
    }

    /// A token of that user for so many seconds.
    static String token(Terminal terminal, String user, List<String> groups, long seconds)
            throws CommandFailure {
        return token(terminal, user, groups, "", seconds);
    }

    /// @param scope what it is good for alone; empty for all
    private static String token(
            Terminal terminal, String user, List<String> groups, String scope, long seconds)
            throws CommandFailure {
        Path key = key(terminal);
        long now = terminal.now() / 1000;
        String unsigned =
                encoded(Map.of("alg", "ES256"))
                        + "."
                        + encoded(claims(user, groups, scope, now, now + seconds));
        return unsigned + "." + signature(unsigned, key);
    }

    private static Map<String, Object> claims(
            String user, List<String> groups, String scope, long issuedAt, long expiresAt) {
        var claims = new LinkedHashMap<String, Object>();
        claims.put("iss", "berth");
        claims.put("sub", user);
        claims.put("upn", user);
        claims.put("groups", groups);
        if (!scope.isEmpty()) {
            claims.put("scope", scope);
        }
        claims.put("iat", issuedAt);
        claims.put("exp", expiresAt);
        return claims;
    }

    private static String encoded(Map<String, Object> json) {
        return base64(JsonText.compact(json).getBytes(StandardCharsets.UTF_8));
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String signature(String unsigned, Path keyFile) throws CommandFailure {
        try {
            String pem = Files.readString(keyFile).replaceAll("-----[A-Z ]+-----|\\s", "");
            PrivateKey key =
                    KeyFactory.getInstance("EC")
                            .generatePrivate(
                                    new PKCS8EncodedKeySpec(Base64.getDecoder().decode(pem)));
            Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
            signature.initSign(key);
            signature.update(unsigned.getBytes(StandardCharsets.UTF_8));
            return base64(signature.sign());
        } catch (IOException e) {
            throw CommandFailure.error(
                    "token",
                    "cannot read the mesh's key "
                            + keyFile
                            + ": only who runs the mesh gives tokens");
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw CommandFailure.error(
                    "token", keyFile + " holds no private EC key in PKCS#8: " + e.getMessage());
        }
    }
}
