package io.berth.submit.http;

import io.berth.submit.Job;
import io.berth.submit.Refused;
import io.berth.submit.Unavailable;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Singleton;

/// Counts submissions by what became of them: `berth_submissions_total{code="accepted"}`.
@Singleton
final class SubmissionCounter {
    private final MeterRegistry registry;

    SubmissionCounter(MeterRegistry registry) {
        this.registry = registry;
    }

    /// A way to a job that may be refused.
    @FunctionalInterface
    interface Attempt {
        Job run() throws Refused;
    }

    Job count(Attempt attempt) throws Refused {
        try {
            Job job = attempt.run();
            count("accepted");
            return job;
        } catch (Refused e) {
            count(e.refusal().code());
            throw e;
        } catch (Unavailable e) {
            count("unavailable");
            throw e;
        }
    }

    void count(String code) {
        registry.counter("berth.submissions", "code", code).increment();
    }
}
