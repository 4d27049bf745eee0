package io.berth.core.request;

import io.berth.contracts.AdminLevel;
import java.util.Set;
import java.util.TreeSet;

/// The roles of one who asks, by which what he may do is decided: of an admin also [#OPERATOR].
public final class Roles {

    public static final String USER = "user";
    public static final String OPERATOR = "operator";
    public static final String ADMIN = "admin";

    private Roles() {}

    /// The roles that a token's groups and the configuration give, as far as the token's scope lets
    /// them: without [Scope#OPERATE] an operator or admin is a user.
    ///
    /// @param configured the level that the configuration gives the user
    public static Set<String> of(Set<String> groups, Scope scope, AdminLevel configured) {
        var roles = new TreeSet<>(groups);
        boolean admin = roles.remove(ADMIN);
        boolean operator = roles.remove(OPERATOR);
        if (!scope.allows(Scope.OPERATE)) {
            if (admin || operator) {
                roles.add(USER);
            }
            return roles;
        }
        if (admin || configured == AdminLevel.ADMIN) {
            roles.add(ADMIN);
        }
        if (admin || operator || configured != AdminLevel.NONE) {
            roles.add(OPERATOR);
        }
        return roles;
    }
}
