package io.berth.submit.http;

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
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Tokens whose signature was verified, remembered until they expire: to verify one costs more than
/// all the rest of a submission.
///
/// A token is known by its SHA-256, so that to compare it tells nothing of it. Keys are read at the
/// start of the service, and so live as long as what is remembered here.
@Alternative
@Priority(1)
@ApplicationScoped
class VerifiedTokens extends JWTCallerPrincipalFactory {
    /// The one that was used least lately is forgotten when there are more.
    static final int MOST = 1024;

    private final JWTCallerPrincipalFactory verifier;
    private final Clock clock;
    private final Map<String, JWTCallerPrincipal> verified =
            new LinkedHashMap<>(64, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, JWTCallerPrincipal> eldest) {
                    return size() > MOST;
                }
            };

    @Inject
    VerifiedTokens(Clock clock) {
        this(new DefaultJWTCallerPrincipalFactory(), clock);
    }

    VerifiedTokens(JWTCallerPrincipalFactory verifier, Clock clock) {
        this.verifier = verifier;
        this.clock = clock;
    }

    @Override
    public JWTCallerPrincipal parse(String token, JWTAuthContextInfo context)
            throws ParseException {
        String digest = Sha256.hex(token.getBytes(StandardCharsets.UTF_8));
        JWTCallerPrincipal known = known(digest);
        if (known != null) {
            return known;
        }
        JWTCallerPrincipal principal = verifier.parse(token, context);
        synchronized (verified) {
            verified.put(digest, principal);
        }
        return principal;
    }

    private @Nullable JWTCallerPrincipal known(String digest) {
        synchronized (verified) {
            JWTCallerPrincipal known = verified.get(digest);
            if (known != null && known.getExpirationTime() * 1000 <= clock.millis()) {
                verified.remove(digest);
                return null;
            }
            return known;
        }
    }
}
