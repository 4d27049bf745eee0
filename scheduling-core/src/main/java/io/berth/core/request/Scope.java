package io.berth.core.request;

import java.util.Arrays;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// How much of what its groups allow a token may be used for. Each allows what those before it do.
///
/// A token that names no scope of Berth's is not limited: scopes only take away, because whoever
/// asks for a token chooses them.
public enum Scope {
    /// Scopes of Berth's are named, and none of them is known.
    NOTHING,
    /// Asking, and what changes nothing: `berth:read`.
    READ,
    /// Jobs, as a user: `berth:submit`.
    SUBMIT,
    /// All: `berth:operate`.
    OPERATE;

    private static final Set<String> ASKING = Set.of("GET", "HEAD", "OPTIONS");

    private static final Pattern NAME = Pattern.compile("(?<![A-Za-z0-9._-])berth:([^\\s\",\\]]*)");

    /// The widest scope of a token.
    ///
    /// @param claims as they print, `openid berth:read` or `["openid","berth:read"]`; null for one
    ///   that is not there
    public static Scope of(@Nullable Object... claims) {
        Matcher names = NAME.matcher(Arrays.toString(claims));
        Scope widest = null;
        while (names.find()) {
            Scope named =
                    switch (names.group(1)) {
                        case "read" -> READ;
                        case "submit" -> SUBMIT;
                        case "operate" -> OPERATE;
                        default -> NOTHING;
                    };
            widest = widest == null || named.compareTo(widest) > 0 ? named : widest;
        }
        return widest == null ? OPERATE : widest;
    }

    /// Whether a request by that HTTP method changes nothing.
    public static boolean asks(String method) {
        return ASKING.contains(method);
    }

    public boolean allows(Scope needed) {
        return compareTo(needed) >= 0;
    }
}
