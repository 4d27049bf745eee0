package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/// A job's number: positive, unique in the fleet and growing, with gaps.
public record JobId(@JsonValue long value) implements Comparable<JobId> {

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public JobId {
        if (value <= 0) {
            throw new IllegalArgumentException("job id " + value + " is not positive");
        }
    }

    @Override
    public int compareTo(JobId other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
