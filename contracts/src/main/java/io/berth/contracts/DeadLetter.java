package io.berth.contracts;

/// A record that a service could not apply, kept with its cause.
///
/// @param value the record's bytes, base64
public record DeadLetter(String topic, int partition, long offset, String cause, String value) {

    /// The key under which it is kept.
    public String position() {
        return topic + "/" + partition + "/" + offset;
    }
}
