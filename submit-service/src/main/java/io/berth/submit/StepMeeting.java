package io.berth.submit;

import io.berth.contracts.JobDescription;
import io.berth.contracts.LaunchMode;
import java.util.Map;
import java.util.TreeMap;

/// The variables by which the nodes of a job meet at a gateway to run its steps. A job of several
/// nodes whose script runs on the first has them, and a heterogeneous job, whose components have
/// one secret; in no other are they left from the job that submitted it.
public final class StepMeeting {

    /// Where nodes reach the gateway, such as `ws://gateway:7600`.
    static final String GATEWAY = "BERTH_STEP_GATEWAY";

    /// By which a process is known as one of the job.
    public static final String SECRET = "BERTH_STEP_SECRET";

    private StepMeeting() {}

    /// Whether the nodes of a job meet, as far as it says.
    public static boolean has(JobDescription job) {
        return job.het() != null || (job.request().nodes() > 1 && job.launch() == LaunchMode.BATCH);
    }

    /// The variables of a job with its own way to the gateway.
    ///
    /// @param several whether it may have steps on other nodes than its script's
    static Map<String, String> in(Map<String, String> environment, boolean several, Caller caller) {
        boolean meets = several && !caller.gateway().isEmpty();
        if (!meets && !environment.containsKey(SECRET)) {
            return environment;
        }
        var variables = new TreeMap<>(environment);
        variables.remove(GATEWAY);
        variables.remove(SECRET);
        if (meets) {
            variables.put(GATEWAY, caller.gateway());
            variables.put(SECRET, Secret.random());
        }
        return variables;
    }
}
