package io.berth.core.replay;

import io.berth.contracts.event.RoundEvent;
import io.berth.contracts.event.RoundEvent.Decided;
import io.berth.contracts.event.RoundEvent.Took;
import io.berth.contracts.json.EventCodec.CorruptEvent;
import io.berth.contracts.json.EventCodec.UnknownEventType;
import io.berth.core.state.Input;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Puts the records of the `rounds` topic together.
public final class RoundAssembler {

    private final Recordings recordings = new Recordings();
    private List<Input> inputs = new ArrayList<>();
    private int records;

    /// A whole round.
    public record Round(List<Input> inputs, Decided decided) {

        public Round {
            inputs = List.copyOf(inputs);
        }
    }

    /// Takes the next record of the topic; the round that it ends. Of a round whose beginning was
    /// not read nothing is given.
    ///
    /// @throws UnknownEventType if a newer version wrote it
    public Optional<Round> add(RoundEvent event) throws UnknownEventType, CorruptEvent {
        return switch (event) {
            case Took took -> {
                recordings.input(took.input()).ifPresent(inputs::add);
                records++;
                yield Optional.empty();
            }
            case Decided decided -> {
                boolean whole = records == decided.inputs();
                var round = new Round(inputs, decided);
                inputs = new ArrayList<>();
                records = 0;
                yield whole ? Optional.of(round) : Optional.empty();
            }
        };
    }
}
