package io.berth.accounting.db;

import io.berth.accounting.db.Batch.Advance;
import io.quarkus.hibernate.reactive.panache.PanacheEntityBase;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;

/// How far a topic's partition is in the books.
@Entity
@Table(name = "log_position")
@IdClass(PositionRow.Key.class)
public class PositionRow extends PanacheEntityBase {

    /// The name of the row.
    public record Key(String topic, int partition) {}

    @Id public String topic = "";
    @Id public int partition;

    @Column(name = "topic_id")
    public String topicId = "";

    @Column(name = "next_offset")
    public long nextOffset;

    static PositionRow of(Advance advance) {
        var row = new PositionRow();
        row.topic = advance.topic();
        row.partition = advance.partition();
        row.topicId = advance.topicId();
        row.nextOffset = advance.to();
        return row;
    }
}
