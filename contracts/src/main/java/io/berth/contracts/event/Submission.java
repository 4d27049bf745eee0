package io.berth.contracts.event;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.berth.contracts.Added;
import io.berth.contracts.Amendment;
import io.berth.contracts.HetComponent;
import io.berth.contracts.Hold;
import io.berth.contracts.IdempotencyKey;
import io.berth.contracts.JobArray;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.SignalTarget;
import io.berth.contracts.SpecReference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What people ask of a job. Whether they may is decided before it is written here.
public sealed interface Submission {

    JobId job();

    /// A job was accepted. The submission order is the order of these records in the log.
    ///
    /// @param job of an array its first task, of a heterogeneous job its first component
    /// @param submittedBy who sent it: the user, or an admin for the user
    /// @param array the tasks that it makes, each a job; null makes the one job
    /// @param components of a heterogeneous job, those after the first, each a job: their ids
    ///   follow the first one's, and they have its specification. None makes the one job
    record Submitted(
            JobId job,
            JobDescription description,
            String submittedBy,
            SpecReference spec,
            @Nullable IdempotencyKey key,
            @Nullable JobArray array,
            @Added @JsonInclude(Include.NON_EMPTY) List<JobDescription> components)
            implements Submission {

        public Submitted {
            components = components == null ? List.of() : List.copyOf(components);
        }

        /// One job, or an array.
        public Submitted(
                JobId job,
                JobDescription description,
                String submittedBy,
                SpecReference spec,
                @Nullable IdempotencyKey key,
                @Nullable JobArray array) {
            this(job, description, submittedBy, spec, key, array, List.of());
        }

        /// One job, no array.
        public Submitted(
                JobId job,
                JobDescription description,
                String submittedBy,
                SpecReference spec,
                @Nullable IdempotencyKey key) {
            this(job, description, submittedBy, spec, key, null);
        }

        /// The jobs that it makes; of several only the first has the key.
        public List<Submitted> jobs() {
            if (!components.isEmpty()) {
                var set = new HetComponent(job, 1 + components.size());
                return set.jobs().stream().map(it -> component(set, it)).toList();
            }
            return array == null
                    ? List.of(this)
                    : array.all().stream()
                            .map(task ->
                                    one(
                                            task.job(),
                                            description.on(
                                                    description.conditions().as(task.place()))))
                            .toList();
        }

        private Submitted component(HetComponent set, JobId id) {
            int offset = set.offset(id);
            JobDescription own = offset == 0 ? description : components.get(offset - 1);
            return one(id, own.as(set, id));
        }

        private Submitted one(JobId id, JobDescription own) {
            return new Submitted(id, own, submittedBy, spec, id.equals(job) ? key : null);
        }
    }

    /// The job is to end: it leaves the queue, or its run is stopped.
    ///
    /// @param user who asked
    record CancelRequested(JobId job, String user) implements Submission {}

    /// The job is not to start before it is released.
    record Held(JobId job, String user, Hold hold) implements Submission {}

    /// The job may start again, as far as a hold is concerned.
    ///
    /// @param hold the strongest hold that this undoes
    record Released(JobId job, String user, Hold hold) implements Submission {}

    /// The job is to be another one.
    record Amended(JobId job, String user, Amendment change) implements Submission {}

    /// The job's run is to end, and the job to wait again.
    ///
    /// @param hold whether it then waits for its release
    record RequeueRequested(JobId job, String user, boolean hold) implements Submission {}

    /// The job's run is to stand still until an operator resumes it.
    record SuspendRequested(JobId job, String user) implements Submission {}

    /// The job's suspended run is to go on, as soon as its CPUs are free.
    record ResumeRequested(JobId job, String user) implements Submission {}

    /// Processes of the job's run are to get a signal.
    ///
    /// @param signal by the kernel's number
    /// @param step the number of the only step that is meant; null for all that the target says
    record SignalRequested(
            JobId job, String user, int signal, SignalTarget target, @Nullable Integer step)
            implements Submission {

        /// To no step in particular.
        public SignalRequested(JobId job, String user, int signal, SignalTarget target) {
            this(job, user, signal, target, null);
        }
    }
}
