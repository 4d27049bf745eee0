package io.berth.contracts.event;

import java.util.List;

/// What people know an account by.
///
/// @param coordinators users who may change what is below it
public record AccountDetails(String description, String organization, List<String> coordinators) {

    public static final AccountDetails NONE = new AccountDetails("", "", List.of());

    public AccountDetails {
        coordinators = List.copyOf(coordinators);
    }
}
