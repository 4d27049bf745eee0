package io.berth.agent;

import io.berth.agent.host.StartRefused;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.util.List;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The agents of this process, from its start to its end.
@Singleton
final class AgentService implements AgentHttp.Told {

    private static final Logger LOG = LoggerFactory.getLogger(AgentService.class);

    private final AgentConfig config;
    private final AgentMetrics metrics = new AgentMetrics();
    private final String host;
    private final int port;
    private final String version;
    private final KafkaConnection connection;
    private final TopicDeclarations declarations;
    private @Nullable AgentHttp http;
    private volatile @Nullable AgentProcess process;

    /// @param host to listen on: the names are those of all services, whose server is Quarkus's
    AgentService(
            AgentConfig config,
            @ConfigProperty(name = "quarkus.http.host") String host,
            @ConfigProperty(name = "quarkus.http.port") int port,
            @ConfigProperty(name = "quarkus.application.version") String version,
            KafkaConnection connection,
            LogConfig log) {
        this.config = config;
        this.host = host;
        this.port = port;
        this.version = version;
        this.connection = connection;
        this.declarations =
                new TopicDeclarations(log.cells(), log.nodePartitions(), log.replicas());
    }

    @Override
    public boolean alive() {
        AgentProcess running = process;
        return running == null || running.alive();
    }

    @Override
    public List<NodeAgent> agents() {
        AgentProcess running = process;
        return running == null ? List.of() : running.agents();
    }

    @Override
    public String metrics() {
        return metrics.text(agents());
    }

    synchronized void start(@Observes StartupEvent event) {
        try {
            AgentHttp listening = AgentHttp.listen(host, port, this);
            http = listening;
            process = new AgentProcess(config, version, connection, declarations, metrics::count);
            listening.begin();
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
        if (http != null) {
            http.close();
        }
        if (process != null) {
            process.close();
        }
    }
}
