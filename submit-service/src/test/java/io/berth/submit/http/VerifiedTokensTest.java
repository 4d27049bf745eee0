package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.jwt.auth.principal.DefaultJWTCallerPrincipal;
import io.smallrye.jwt.auth.principal.JWTAuthContextInfo;
import io.smallrye.jwt.auth.principal.JWTCallerPrincipal;
import io.smallrye.jwt.auth.principal.JWTCallerPrincipalFactory;
import io.smallrye.jwt.auth.principal.ParseException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.junit.jupiter.api.Test;

class VerifiedTokensTest {
    private static final long EXPIRES = 1_000;
    private static final JWTAuthContextInfo CONTEXT = new JWTAuthContextInfo();

    private final Verifier verifier = new Verifier();
    private final SetClock clock = new SetClock();
    private final VerifiedTokens tokens = new VerifiedTokens(verifier, clock);

    @Test
    void a_token_is_verified_once() throws ParseException {
        JWTCallerPrincipal first = tokens.parse("alice", CONTEXT);

        JWTCallerPrincipal second = tokens.parse("alice", CONTEXT);

        assertThat(second).isSameAs(first);
        assertThat(verifier.seen).containsExactly("alice");
    }

    @Test
    void another_token_is_another_person() throws ParseException {
        tokens.parse("alice", CONTEXT);

        assertThat(tokens.parse("bob", CONTEXT).getName()).isEqualTo("bob");
    }

    @Test
    void a_token_that_has_expired_since_is_verified_anew() throws ParseException {
        tokens.parse("alice", CONTEXT);
        clock.seconds = EXPIRES;

        tokens.parse("alice", CONTEXT);

        assertThat(verifier.seen).containsExactly("alice", "alice");
    }

    @Test
    void a_token_is_verified_again_after_five_minutes_as_its_key_may_be_withdrawn()
            throws ParseException {
        tokens.parse("alice", CONTEXT);
        clock.seconds += 299;
        tokens.parse("alice", CONTEXT);
        clock.seconds += 1;

        tokens.parse("alice", CONTEXT);

        assertThat(verifier.seen).containsExactly("alice", "alice");
    }

    @Test
    void a_token_that_is_not_valid_is_never_remembered() {
        assertThatThrownBy(() -> tokens.parse("forged", CONTEXT))
                .isInstanceOf(ParseException.class);

        assertThatThrownBy(() -> tokens.parse("forged", CONTEXT))
                .isInstanceOf(ParseException.class);
    }

    @Test
    void of_too_many_the_one_used_least_lately_is_forgotten() throws ParseException {
        for (int i = 0; i <= VerifiedTokens.MOST; i++) {
            tokens.parse("user" + i, CONTEXT);
        }
        verifier.seen.clear();

        tokens.parse("user1", CONTEXT);
        tokens.parse("user0", CONTEXT);

        assertThat(verifier.seen).containsExactly("user0");
    }

    /// Verifies every token but `forged`, and remembers which.
    private static final class Verifier extends JWTCallerPrincipalFactory {
        private final List<String> seen = new ArrayList<>();

        @Override
        public JWTCallerPrincipal parse(String token, JWTAuthContextInfo context)
                throws ParseException {
            if (token.equals("forged")) {
                throw new ParseException("not signed");
            }
            seen.add(token);
            var claims = new JwtClaims();
            claims.setSubject(token);
            claims.setStringClaim("upn", token);
            claims.setExpirationTime(NumericDate.fromSeconds(EXPIRES));
            return new DefaultJWTCallerPrincipal(claims);
        }
    }

    private static final class SetClock extends Clock {
        private long seconds;

        @Override
        public Instant instant() {
            return Instant.ofEpochSecond(seconds);
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
