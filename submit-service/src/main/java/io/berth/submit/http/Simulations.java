package io.berth.submit.http;

import static io.berth.submit.Checks.invalid;
import static io.berth.submit.Checks.quoted;
import static java.util.Objects.requireNonNullElse;

import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeRequest.DrainRequested;
import io.berth.contracts.event.Submission.Amended;
import io.berth.core.forecast.Forecast;
import io.berth.core.forecast.Start;
import io.berth.core.state.Input;
import io.berth.submit.Caller;
import io.berth.submit.Job;
import io.berth.submit.JobChange;
import io.berth.submit.JobName;
import io.berth.submit.Picture;
import io.berth.submit.Refusal.InvalidNode;
import io.berth.submit.Refused;
import io.berth.submit.RequestedNodes;
import io.berth.submit.SubmitConfig;
import io.berth.submit.Unavailable;
import io.berth.submit.WhatIf;
import io.berth.submit.http.SimulationJson.StartJson;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Answers what would be, each time on a copy of the cluster. Two at a time: a copy takes memory,
/// and to look ahead takes a processor.
@Singleton
class Simulations {

    private static final int AT_ONCE = 2;
    private static final int MOST_NODES = 1_000;

    private final Gateway gateway;
    private final JobControls controls;
    private final SubmitConfig config;
    private final Clock clock;
    private final Semaphore turns = new Semaphore(AT_ONCE);

    Simulations(Gateway gateway, JobControls controls, SubmitConfig config, Clock clock) {
        this.gateway = gateway;
        this.controls = controls;
        this.config = config;
        this.clock = clock;
    }

    /// @throws Unavailable if others simulate for too long
    SimulationJson answer(WhatIf asked, Caller caller) throws Refused {
        try {
            if (!turns.tryAcquire(config.answerTimeout().toMillis(), TimeUnit.MILLISECONDS)) {
                throw new Unavailable("others simulate: try again");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unavailable("the gateway is stopping");
        }
        try {
            return asked.submit() != null
                    ? submitted(asked, gateway.described(asked.submit(), caller), caller)
                    : waiting(asked, caller);
        } finally {
            turns.release();
        }
    }

    private SimulationJson submitted(WhatIf asked, JobDescription job, Caller caller)
            throws Refused {
        if (asked.job() != null || asked.change() != null) {
            throw invalid("'submit' stands alone: a job that is submitted is none that waits");
        }
        Forecast forecast = with(asked, caller);
        Start start = forecast.start(forecast.submit(job));
        if (!differs(asked)) {
            return new SimulationJson(true, start.partition(), StartJson.of(start), null);
        }
        Forecast plain = forecast();
        Start otherwise = plain.start(plain.submit(job));
        return new SimulationJson(
                true, start.partition(), StartJson.of(start), StartJson.of(otherwise));
    }

    private SimulationJson waiting(WhatIf asked, Caller caller) throws Refused {
        if (asked.job() == null) {
            throw invalid("which job? There is neither 'submit' nor 'job'");
        }
        Job job = one(asked.job(), caller);
        Forecast forecast = with(asked, caller);
        JobChange change = asked.change();
        if (change != null) {
            Amended amended = controls.amended(job, change, caller);
            forecast.take(new Input.Asked(amended, Long.MAX_VALUE));
        }
        Start start = start(forecast, job.id());
        return new SimulationJson(
                true,
                start.partition(),
                StartJson.of(start),
                change != null || differs(asked)
                        ? StartJson.of(start(forecast(), job.id()))
                        : null);
    }

    private static Start start(Forecast forecast, JobId job) {
        if (!forecast.knows(job)) {
            throw new Unavailable("placement has not seen job " + job + " yet");
        }
        return forecast.start(job);
    }

    /// The first task that waits, of an array.
    private Job one(String text, Caller caller) throws Refused {
        return gateway.named(JobName.parse(text), caller).stream()
                .filter(Job::pending)
                .findFirst()
                .orElseThrow(() -> invalid("job " + quoted(text) + " does not wait"));
    }

    private static boolean differs(WhatIf asked) {
        return asked.drain() != null || asked.add() != null;
    }

    private Forecast forecast() {
        return gateway.picture(null)
                .forecast(clock.millis())
                .orElseThrow(() -> new Unavailable("the cluster is not known well enough"));
    }

    private Forecast with(WhatIf asked, Caller caller) throws Refused {
        Picture picture = gateway.picture(null);
        Forecast forecast = forecast();
        for (NodeName node : RequestedNodes.names(asked.drain(), picture.registrations())) {
            forecast.take(
                    new Input.NodeAsked(new DrainRequested(node, caller.user(), "simulated")));
        }
        long nodes = 0;
        for (WhatIf.More more : requireNonNullElse(asked.add(), List.<WhatIf.More>of())) {
            nodes += more.count();
            if (more.count() < 1 || nodes > MOST_NODES) {
                throw invalid("nodes to add are 1 to " + MOST_NODES + ", not " + nodes);
            }
            forecast.add(node(more.like(), picture), more.count());
        }
        return forecast;
    }

    private static NodeName node(String text, Picture picture) throws Refused {
        List<NodeName> nodes = RequestedNodes.names(text, picture.registrations());
        if (nodes.size() != 1) {
            throw new Refused(new InvalidNode("Invalid node name specified: " + quoted(text)));
        }
        return nodes.getFirst();
    }
}
