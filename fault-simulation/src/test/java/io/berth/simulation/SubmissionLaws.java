package io.berth.simulation;

import static io.berth.simulation.SimulatedPlacement.SUBMISSIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobId;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.topic.Topics;
import io.berth.submit.Sha256;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// What must hold of the specifications and submissions that gateways write: no id is given twice,
/// and each submission refers to what was written before it.
final class SubmissionLaws {

    private static final String SPECS = Topics.SPECS.name();

    private final SimulatedLog log;

    /// What was written so far is checked.
    private long submissionsChecked;

    private long specsChecked;
    private final Set<JobId> submitted = new TreeSet<>();
    private final Set<String> specified = new TreeSet<>();

    SubmissionLaws(SimulatedLog log) {
        this.log = log;
    }

    /// What was written since the last time.
    void check() {
        for (Message message : log.read(SPECS, specsChecked)) {
            specsChecked = message.offset() + 1;
            assertThat(specified.add(message.key()))
                    .as("id %s is given once", message.key())
                    .isTrue();
        }
        for (Message message : log.read(SUBMISSIONS, submissionsChecked)) {
            submissionsChecked = message.offset() + 1;
            if (message.value() instanceof Submitted it) {
                it.jobs()
                        .forEach(one ->
                                assertThat(submitted.add(one.job()))
                                        .as("id %s is given once", one.job())
                                        .isTrue());
                checkSpec(it);
            }
        }
    }

    private void checkSpec(Submitted it) {
        List<Message> specs = log.read(SPECS, it.spec().offset());
        assertThat(specs).as("what job %s refers to", it.job()).isNotEmpty();
        Message spec = specs.getFirst();
        assertThat(spec.offset()).isEqualTo(it.spec().offset());
        assertThat(spec.key()).isEqualTo(it.job().toString());
        assertThat(Sha256.hex(spec.record().value())).isEqualTo(it.spec().sha256());
    }

    /// The submissions that stand in the log.
    Stream<Submitted> submitted() {
        return log.read(SUBMISSIONS, 0).stream()
                .map(Message::value)
                .filter(Submitted.class::isInstance)
                .map(Submitted.class::cast);
    }

    /// The first of those in the log.
    Submitted first(Predicate<Submitted> which) {
        return submitted()
                .filter(which)
                .findFirst()
                .orElseThrow(
                        () -> new AssertionError("what was answered does not stand in the log"));
    }
}
