package io.berth.accounting.db;

import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.jspecify.annotations.Nullable;

/// A revision of the configuration.
@Entity
@Table(name = "configuration")
public class ConfigurationRow extends PanacheEntityBase {

    @Id public long revision;

    /// The cluster file as JSON.
    public String document = "";

    public String author = "";

    @Column(name = "changed_at")
    public long changedAt;

    /// Of the file that it was read from; null if it was made by a command.
    @Column(name = "file_sha256")
    public @Nullable String fileSha256;

    /// Whether the config topic has it, or a later one.
    public boolean published;
}
