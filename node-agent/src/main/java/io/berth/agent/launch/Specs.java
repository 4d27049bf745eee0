package io.berth.agent.launch;

import io.berth.contracts.JobSpec;
import io.berth.contracts.SpecReference;

/// Where jobs' specifications are read.
@FunctionalInterface
public interface Specs {

    /// @throws LaunchRefused if it cannot be read, or is not what the reference names
    JobSpec read(SpecReference reference) throws LaunchRefused, InterruptedException;
}
