package io.berth.submit;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// The gateway's settings.
@ConfigMapping(prefix = "berth.submit")
public interface SubmitConfig {
    /// After so long without all acknowledgements a submission is answered with "outcome unknown".
    @WithDefault("5s")
    Duration answerTimeout();

    /// How long the log is tried with one record. Below `answer-timeout`.
    @WithDefault("4s")
    Duration writeTimeout();

    /// How long a question waits for the gateway's view of the log.
    @WithDefault("2s")
    Duration viewTimeout();

    /// Indices of job arrays are below this: Slurm's MaxArraySize, at most 65536.
    @WithDefault("10001")
    int maxArraySize();

    /// The most jobs that wait and run at once, tasks of arrays among them: Slurm's MaxJobCount.
    @WithDefault("200000")
    long maxJobs();

    /// How long the body of a request may take to arrive.
    @WithDefault("60s")
    Duration bodyTimeout();

    /// After so long the lines of a bulk submission that are not acknowledged are answered with
    /// "outcome unknown".
    @WithDefault("30s")
    Duration bulkTimeout();

    /// How many bulk submissions are read and written at once.
    @WithDefault("2")
    int bulks();

    /// How many requests are worked on at once, streams of events apart.
    @WithDefault("1000")
    int requestsInFlight();

    /// How many requests a user may send in a second; twice as many at once. 0 is without a limit;
    /// operators have none.
    @WithDefault("0")
    int userRequestsPerSecond();

    /// How many interactive runs may be connected at once.
    @WithDefault("256")
    int sessions();

    /// How many of them one user may have, operators included; unless set, a quarter of all. The
    /// further nodes of the steps of his jobs may have twice as many besides.
    OptionalInt userSessions();

    /// How many may read what jobs have written at once; an eighth of them is one user's at most.
    @WithDefault("256")
    int outputs();

    /// Where nodes reach this gateway, such as `wss://gateway-0.berth:7600`; not set, it is where
    /// the one who starts an interactive run reached it.
    Optional<String> sessionUrl();

    /// The other gateways, such as `http://submit-peers:7600`: each name may stand for several, and
    /// for this one. Sessions of theirs can then be reached by this one, and its own by them.
    Optional<List<URI>> peers();

    /// Where the accounting service answers: the console's charts of usage come from there.
    @WithDefault("http://127.0.0.1:7603")
    URI accountingUrl();

    /// The OpenTelemetry collector that gets the spans of submissions, such as
    /// `http://collector:4318/v1/traces`; without one there are none.
    Optional<URI> tracesEndpoint();

    /// How many clients may follow the events at once.
    @WithDefault("256")
    int followers();

    /// How long a job's script and environment are kept at least, from its submission on; zero is
    /// for ever. They are kept as long as the job is known, in any case.
    @WithDefault("7d")
    Duration specRetention();

    /// Who mail about jobs is from, such as `berth@cluster.org`; not set, none is sent. The server
    /// for it is `quarkus.mailer.host`.
    Optional<String> mailFrom();

    /// Where users have their mail who give no address: `alice@localhost`.
    @WithDefault("localhost")
    String mailDomain();

    /// How long after a failure mail is tried again.
    @WithDefault("5s")
    Duration mailPause();
}
