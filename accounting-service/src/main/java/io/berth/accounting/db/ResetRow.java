package io.berth.accounting.db;

import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;

/// When an operator last reset what a user, or all users, have used in an account.
@Entity
@Table(name = "usage_reset")
@IdClass(ResetRow.Key.class)
public class ResetRow extends PanacheEntityBase {

    static final String ALL_USERS = "";

    /// The name of the row.
    public record Key(String account, String username) {}

    @Id public String account = "";

    /// Or [#ALL_USERS].
    @Id public String username = ALL_USERS;

    /// Epoch milliseconds.
    public long at;

    public String author = "";

    static ResetRow of(Key key, long at, String author) {
        var row = new ResetRow();
        row.account = key.account();
        row.username = key.username();
        row.at = at;
        row.author = author;
        return row;
    }
}
