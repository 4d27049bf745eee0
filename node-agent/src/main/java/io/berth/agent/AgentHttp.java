package io.berth.agent;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.berth.agent.NodeOrders.Standing;
import io.berth.agent.NodeOrders.Status;
import io.berth.contracts.HeldRun;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import io.berth.contracts.json.Json;
import io.berth.log.Pulse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/// What a person on the machine, a supervisor and Prometheus ask of the agents of this process, by
/// the JDK's own server: that of a framework takes 20 MiB from the jobs.
///
/// ```
/// GET /v1/agent          their nodes, where they stand and what runs there
/// GET /q/health/ready    200 while every agent is in an epoch, else 503
/// GET /q/health/live     503 if the loop that reads orders has died, or has not turned for 5 min
/// GET /q/metrics         for Prometheus
/// ```
final class AgentHttp implements AutoCloseable {

    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;
    private static final int UNAVAILABLE = 503;
    private static final String JSON = "application/json";
    private static final String PROBLEM = "application/problem+json";
    private static final long NO_BODY = -1;

    /// Jobs reach the port too: what they hold open is not to use up this process's descriptors.
    static final int MOST_CONNECTIONS = 64;

    /// Seconds in which a request has come, and an answer is taken.
    private static final int PATIENCE = 5;

    static {
        // Module jdk.httpserver has no other way to say it.
        System.setProperty("jdk.httpserver.maxConnections", Integer.toString(MOST_CONNECTIONS));
        System.setProperty("sun.net.httpserver.maxReqTime", Integer.toString(PATIENCE));
        System.setProperty("sun.net.httpserver.maxRspTime", Integer.toString(PATIENCE));
    }

    /// What there is to tell of.
    interface Told {
        /// None until they have started.
        List<NodeAgent> agents();

        /// Whether what reads orders turns, or waits as it should.
        boolean alive();

        String metrics();
    }

    /// All nodes that the process stands for.
    record Agents(List<Node> nodes) {}

    /// One node.
    ///
    /// @param why what stopped its agent or keeps it from an epoch, if anything does
    record Node(
            NodeName node,
            Standing standing,
            long epoch,
            long applied,
            @Nullable String why,
            boolean simulated,
            List<Isolation> isolation,
            List<HeldRun> runs) {}

    private record Answer(int status, String type, String body) {}

    private final Told told;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private AgentHttp(Told told, HttpServer server) {
        this.told = told;
        this.server = server;
    }

    /// Takes the port. Whoever comes is answered from [#begin] on.
    ///
    /// @throws IOException if the port is taken, or the address is not this machine's
    static AgentHttp listen(String host, int port, Told told) throws IOException {
        var address = new InetSocketAddress(InetAddress.getByName(host), port);
        HttpServer server;
        try {
            server = HttpServer.create(address, 0);
        } catch (IOException e) {
            throw new IOException(
                    "cannot listen on %s:%d: %s".formatted(host, port, e.getMessage()), e);
        }
        var http = new AgentHttp(told, server);
        server.createContext("/", http::answer);
        server.setExecutor(http.threads);
        return http;
    }

    AgentHttp begin() {
        server.start();
        return this;
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            boolean head = method.equals("HEAD");
            String path = exchange.getRequestURI().getPath();
            Answer answer =
                    head || method.equals("GET")
                            ? answer(path)
                            : problem(NOT_ALLOWED, "only GET and HEAD are answered here");
            byte[] body = answer.body().getBytes(UTF_8);
            if (answer.status() == NOT_ALLOWED) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            }
            exchange.getResponseHeaders().set("Content-Type", answer.type());
            exchange.sendResponseHeaders(answer.status(), head ? NO_BODY : body.length);
            if (!head) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private Answer answer(String path) throws JsonProcessingException {
        return switch (path) {
            case "/v1/agent" -> json(OK, agents());
            case "/q/health/ready" -> health(ready());
            case "/q/health/live" -> health(live());
            case "/q/metrics" -> new Answer(OK, AgentMetrics.TYPE, told.metrics());
            default ->
                    problem(
                            NOT_FOUND,
                            "there are /v1/agent, /q/health/ready, /q/health/live and /q/metrics here");
        };
    }

    private static Answer json(int status, Object value) throws JsonProcessingException {
        return new Answer(status, JSON, Json.mapper().writeValueAsString(value));
    }

    private static Answer problem(int status, String detail) throws JsonProcessingException {
        String title = status == NOT_FOUND ? "Not Found" : "Method Not Allowed";
        var problem =
                new TreeMap<String, Object>(
                        Map.of("title", title, "status", status, "detail", detail));
        return new Answer(status, PROBLEM, Json.mapper().writeValueAsString(problem));
    }

    private Agents agents() {
        return new Agents(told.agents().stream().map(AgentHttp::node).toList());
    }

    private static Node node(NodeAgent agent) {
        Status status = agent.status();
        return new Node(
                agent.name(),
                status.standing(),
                status.epoch(),
                status.applied(),
                status.why(),
                agent.node().inventory().simulated(),
                agent.node().inventory().isolation(),
                agent.runs());
    }

    /// As MicroProfile Health has it.
    private record Check(String name, boolean up, Map<String, String> data) {
        Map<String, Object> told() {
            return new TreeMap<>(Map.of("name", name, "status", word(up), "data", data));
        }

        static String word(boolean up) {
            return up ? "UP" : "DOWN";
        }
    }

    private static Answer health(Check check) throws JsonProcessingException {
        return json(
                check.up() ? OK : UNAVAILABLE,
                new TreeMap<>(
                        Map.of("status", Check.word(check.up()), "checks", List.of(check.told()))));
    }

    /// Ready while every agent of the process is in an epoch.
    private Check ready() {
        List<NodeAgent> agents = told.agents();
        boolean ready = !agents.isEmpty() && told.alive();
        var data = new TreeMap<String, String>();
        for (NodeAgent agent : agents) {
            Status status = agent.status();
            ready &= status.standing() == Standing.IN_EPOCH;
            String word = status.standing().name().toLowerCase(Locale.ROOT);
            data.put(
                    agent.name().value(), status.why() == null ? word : word + ": " + status.why());
        }
        return new Check("registered", ready, data);
    }

    /// Alive unless the loop that reads orders has died or not turned for [Pulse#WEDGED]. Runs
    /// outlive the process, but not its container: Kubernetes looks at [#ready] alone.
    private Check live() {
        return new Check("orders", told.alive(), Map.of("wedged after", Pulse.WEDGED.toString()));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
