package io.berth.agent.http;

import io.berth.agent.AgentService;
import io.berth.agent.NodeAgent;
import io.berth.agent.NodeAgent.Status;
import io.berth.contracts.HeldRun;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The agents of this process: their nodes, where they stand and what runs there.
@Path("/v1/agent")
@Produces(MediaType.APPLICATION_JSON)
public class AgentResource {

    /// All nodes that the process stands for.
    public record Agents(List<Node> nodes) {}

    /// One node.
    ///
    /// @param why what stopped its agent, if anything did
    public record Node(
            NodeName node,
            NodeAgent.Standing standing,
            long epoch,
            long applied,
            @Nullable String why,
            boolean simulated,
            List<Isolation> isolation,
            List<HeldRun> runs) {}

    private final AgentService service;

    AgentResource(AgentService service) {
        this.service = service;
    }

    @GET
    public Agents agents() {
        return new Agents(service.agents().stream().map(AgentResource::node).toList());
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
}
