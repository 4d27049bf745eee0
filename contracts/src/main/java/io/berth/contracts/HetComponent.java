package io.berth.contracts;

import java.util.List;
import java.util.stream.LongStream;

/// A job's place in a heterogeneous job: a set of jobs, its components, of different shapes that
/// start together. The ids of a set follow one another, so that a component is Slurm's
/// `<first>+<offset>`.
///
/// Source: Slurm, "Heterogeneous Job Support"; docs/adr/0017.
///
/// @param first the first component, whose script is that of all: the set's own id
/// @param size how many components there are, 2 or more
public record HetComponent(JobId first, int size) {

    /// Of a component the place in the set, from 0: `SLURM_HET_JOB_OFFSET`.
    public int offset(JobId job) {
        return Math.toIntExact(job.value() - first.value());
    }

    /// All components, the first one first.
    public List<JobId> jobs() {
        return LongStream.range(first.value(), first.value() + size).mapToObj(JobId::new).toList();
    }
}
