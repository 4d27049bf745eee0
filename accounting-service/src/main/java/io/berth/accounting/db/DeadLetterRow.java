package io.berth.accounting.db;

import io.berth.contracts.DeadLetter;
import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;

/// A record that could not be booked.
@Entity
@Table(name = "dead_letter")
@IdClass(DeadLetterRow.Key.class)
public class DeadLetterRow extends PanacheEntityBase {

    /// The name of the row.
    public record Key(String topic, int partition, long recordOffset) {}

    @Id public String topic = "";
    @Id public int partition;

    @Id
    @Column(name = "record_offset")
    public long recordOffset;

    public String cause = "";
    public String value = "";

    static DeadLetterRow of(DeadLetter letter) {
        var row = new DeadLetterRow();
        row.topic = letter.topic();
        row.partition = letter.partition();
        row.recordOffset = letter.offset();
        row.cause = Texts.storable(letter.cause());
        row.value = letter.value();
        return row;
    }
}
