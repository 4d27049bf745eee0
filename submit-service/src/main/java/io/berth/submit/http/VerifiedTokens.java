package io.berth.submit.http;

import io.berth.submit.RecentlyUsed;
import io.berth.submit.Sha256;
import io.smallrye.jwt.auth.principal.DefaultJWTCallerPrincipalFactory;
import io.smallrye.jwt.auth.principal.JWTAuthContextInfo;
import io.smallrye.jwt.auth.principal.JWTCallerPrincipal;
import io.smallrye.jwt.auth.principal.JWTCallerPrincipalFactory;
import io.smallrye.jwt.auth.principal.ParseException;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Tokens whose signature was verified, remembered for five minutes if they do not expire before:
/// to verify one costs more than all the rest of a submission, and a key that its issuer withdraws
/// is not to be good for much longer.
///
/// A token is known by its SHA-256, so that to compare it tells nothing of it.
@Alternative
@Priority(1)
@ApplicationScoped
class VerifiedTokens extends JWTCallerPrincipalFactory {
    /// The one that was used least lately is forgotten when there are more.
    static final int MOST = 1024;

    static final long REMEMBERED_MILLIS = 300_000;

    private final JWTCallerPrincipalFactory verifier;
    private final Clock clock;
    private final Map<String, Remembered> verified = RecentlyUsed.atMost(MOST);

    /// @param until epoch milliseconds
    private record Remembered(JWTCallerPrincipal principal, long until) {}

    @Inject
    VerifiedTokens(Clock clock) {
        this(new DefaultJWTCallerPrincipalFactory(), clock);
    }

    VerifiedTokens(JWTCallerPrincipalFactory verifier, Clock clock) {
        this.verifier = verifier;
        this.clock = clock;
    }

    /// Whose token it is, if it was verified a short while ago.
    Optional<JWTCallerPrincipal> remembered(String token) {
        return Optional.ofNullable(known(digest(token)));
    }

    private static String digest(String token) {
        return Sha256.hex(token.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public JWTCallerPrincipal parse(String token, JWTAuthContextInfo context)
            throws ParseException {
        String digest = digest(token);
        JWTCallerPrincipal known = known(digest);
        if (known != null) {
            return known;
        }
        JWTCallerPrincipal principal = verifier.parse(token, context);
        long until =
                Math.min(principal.getExpirationTime() * 1000, clock.millis() + REMEMBERED_MILLIS);
        synchronized (verified) {
            verified.put(digest, new Remembered(principal, until));
        }
        return principal;
    }

    private @Nullable JWTCallerPrincipal known(String digest) {
        synchronized (verified) {
            Remembered known = verified.get(digest);
            if (known != null && known.until() <= clock.millis()) {
                verified.remove(digest);
                return null;
            }
            return known == null ? null : known.principal();
        }
    }
}
