package io.berth.agent;

import io.berth.agent.host.StartRefused;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agents of this process, from its start to its end.
@Singleton
public final class AgentService {

    private static final Logger LOG = LoggerFactory.getLogger(AgentService.class);

    private final AgentConfig config;
    private final MeterRegistry meters;
    private final String version;
    private final KafkaConnection connection;
    private final TopicDeclarations declarations;
    private @Nullable AgentProcess process;

    AgentService(
            AgentConfig config,
            MeterRegistry meters,
            @ConfigProperty(name = "quarkus.application.version") String version,
            KafkaConnection connection,
            LogConfig log) {
        this.config = config;
        this.meters = meters;
        this.version = version;
        this.connection = connection;
        this.declarations =
                new TopicDeclarations(log.cells(), log.nodePartitions(), log.replicas());
    }

    /// Whether what reads orders turns, or waits as it should.
    synchronized boolean alive() {
        return process == null || process.alive();
    }

    /// All agents; none if the start was refused.
    public synchronized List<NodeAgent> agents() {
        return process == null ? List.of() : process.agents();
    }

    synchronized void start(@Observes StartupEvent event) {
        try {
            process = new AgentProcess(config, version, connection, declarations, this::count);
            process.agents()
                    .forEach(agent ->
                            meters.gauge(
                                    "berth.agent.runs",
                                    List.of(Tag.of("node", agent.name().value())),
                                    agent,
                                    NodeAgent::runCount));
            process.agents().stream()
                    .filter(agent -> !agent.node().inventory().simulated())
                    .forEach(agent -> new GpuGauges(meters, agent).register());
        } catch (StartRefused e) {
            LOG.error("Not started: {}", e.getMessage());
            Quarkus.asyncExit(2);
        } catch (IOException e) {
            LOG.error("Not started: {}", e.toString());
            Quarkus.asyncExit(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void stop(@Observes ShutdownEvent event) throws IOException {
        if (process != null) {
            process.close();
        }
    }

    private void count(RunEnd end) {
        String cause = end.cause().name().toLowerCase(Locale.ROOT);
        meters.counter("berth.agent.ends", "cause", cause).increment();
    }
}
