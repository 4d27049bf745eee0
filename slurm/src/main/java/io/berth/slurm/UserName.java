package io.berth.slurm;

import java.util.regex.Pattern;

/// What a user may be called: up to 64 letters, digits and `._@-`.
public final class UserName {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}");

    private UserName() {}

    public static boolean isOne(String name) {
        return NAME.matcher(name).matches();
    }
}
