package io.berth.simulation;

import io.berth.contracts.JobId;
import io.berth.contracts.event.Submission;
import io.berth.core.state.CellState;
import java.util.List;
import java.util.random.RandomGenerator;

/// People who ask two gateways for jobs, and ask again when they have no answer, if their request
/// has a key; and the gateways.
interface MeshUsers {

    /// Who is told what happens.
    interface Listener {
        void tell(Object... words);
    }

    /// How many jobs they wanted.
    int wanted();

    /// The jobs that somebody knows to be accepted.
    List<JobId> acknowledged();

    /// Somebody wants a job.
    void request(RandomGenerator random);

    /// Somebody without an answer asks again.
    void repeat(RandomGenerator random);

    /// A record that was on its way comes.
    void land(RandomGenerator random);

    void restartGateway(RandomGenerator random);

    /// From now on one of the gateways cannot reach the log, or can again.
    void cutOffGateway(boolean now, RandomGenerator random);

    /// The clock of one of the gateways goes wrong, by less than a minute.
    void skewGateway(RandomGenerator random);

    /// Somebody wants that of a job which is there.
    void ask(Submission request, RandomGenerator random);

    /// Gateways go on while something happens to others.
    void goOn(RandomGenerator random);

    /// What was on its way comes, and everybody asks until he has an answer.
    void calm(RandomGenerator random);

    /// Whether everybody has an answer who asks again for it, and gateways can answer.
    boolean answered();

    /// That what they say holds now.
    void check();

    /// That it held.
    ///
    /// @param auditor knows what became of it
    /// @param state as it stands in the log
    void checkEnd(MeshAuditor auditor, CellState state);

    /// The gateways end.
    void die();
}
