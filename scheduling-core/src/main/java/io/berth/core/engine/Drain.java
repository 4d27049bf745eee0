package io.berth.core.engine;

import java.util.List;

/// GPUs of a node that run empty for a job, and are then divided anew for it.
///
/// @param node where they are
/// @param gpus all of them
/// @param rest what the job takes of the node beside GPUs
/// @param millis how long it takes to divide them once they are empty
public record Drain(int node, List<Emptied> gpus, Demand rest, long millis) {

    /// How many choices the engine looks at for one job: those that are ready first.
    public static final int STEPS = 64;

    public Drain {
        gpus = List.copyOf(gpus);
    }

    /// A GPU that is given out as instances, which are counted by lane.
    ///
    /// @param name no other GPU has it
    /// @param all its instances, by lane; none of one that is being divided
    /// @param held those that runs hold
    /// @param since when it was ordered to be divided, in epoch milliseconds; 0 if it was not
    public record Emptied(String name, List<Demand> all, List<Hold> held, long since) {

        public Emptied {
            all = List.copyOf(all);
            held = List.copyOf(held);
        }
    }

    /// What a run holds of a GPU, by lane.
    public record Hold(long job, List<Demand> instances) {

        public Hold {
            instances = List.copyOf(instances);
        }
    }
}
