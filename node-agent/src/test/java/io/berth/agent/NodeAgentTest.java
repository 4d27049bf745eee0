package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.agent.NodeOrders.Standing;
import io.berth.contracts.Allocation;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.HeldRun;
import io.berth.contracts.IndexSet;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.SpecReference;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.RunReport.Cause;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.contracts.event.RunReport.Ready;
import io.berth.contracts.event.RunReport.Started;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An agent and placement speak over a real broker; scripts are real processes.
class NodeAgentTest {

    @TempDir Path folder;
    AgentRig rig;
    HandPlacement placement;
    String node;

    @BeforeEach
    void start() throws Exception {
        rig = new AgentRig(folder);
        placement = rig.placement;
        node = rig.node;
    }

    @AfterEach
    void stop() throws Exception {
        rig.close();
    }

    private RunId run(String body) {
        RunId run = HandPlacement.newRun();
        placement.launch(node, run, Jobs.script(run.job(), rig.work, body), 64);
        return run;
    }

    @Test
    void a_run_of_several_nodes_waits_for_go() throws IOException {
        placement.register(node);
        RunId run = HandPlacement.newRun();
        SpecReference spec =
                placement.writeSpec(
                        Jobs.script(
                                run.job(),
                                rig.work,
                                "echo $SLURM_JOB_NODELIST; cat $BERTH_HOSTFILE"));
        List<Allocation> both = List.of(allocation(node, 0), allocation("elsewhere7", 1));
        placement.launch(node, run, spec, LaunchMode.BATCH, true, both, 0);
        placement.await(Ready.class, run);
        assertThat(rig.output(run)).isEmpty();
        assertThat(rig.agent().runs()).containsExactly(new HeldRun(run, HeldRun.Phase.PREPARED));

        placement.go(node, run);
        placement.await(Ended.class, run);

        assertThat(placement.reports(run))
                .hasExactlyElementsOfTypes(Ready.class, Started.class, Ended.class);
        assertThat(rig.output(run))
                .isEqualTo(node + ",elsewhere7\n" + node + " slots=1\nelsewhere7 slots=1\n");
    }

    @Test
    void a_second_order_to_launch_a_run_starts_nothing() throws IOException {
        placement.register(node);
        RunId run = HandPlacement.newRun();
        var spec = Jobs.script(run.job(), rig.work, "echo started; sleep 60");
        Order.Launch first = placement.launch(node, run, spec, 64);
        placement.await(Started.class, run);

        placement.launch(node, run, first.spec(), first.mode(), false, first.allocations(), 0);
        placement.await(Started.class, run, started -> started.applied() == 2);
        await().until(() -> rig.output(run).equals("started\n"));
        placement.stop(node, run, 5);
        placement.await(Ended.class, run);

        assertThat(rig.output(run)).isEqualTo("started\n");
    }

    @Test
    void an_earlier_run_of_a_job_is_refused_while_a_later_one_is_there() throws IOException {
        placement.register(node);
        RunId earlier = HandPlacement.newRun();
        var later = new RunId(earlier.job(), 2);
        var spec = Jobs.script(earlier.job(), rig.work, "echo started; sleep 60");
        placement.launch(node, later, spec, 64);
        placement.await(Started.class, later);

        placement.launch(node, earlier, spec, 64);
        Ended refused = placement.await(Ended.class, earlier);
        List<HeldRun> held = rig.agent().runs();
        placement.stop(node, later, 5);
        placement.await(Ended.class, later);

        assertThat(refused.cause()).isEqualTo(Cause.LAUNCH_FAILED);
        assertThat(refused.message())
                .isEqualTo("run %s of the job, which is a later one, is here".formatted(later));
        assertThat(placement.reports(earlier)).containsExactly(refused);
        assertThat(held).containsExactly(new HeldRun(later, HeldRun.Phase.RUNNING));
        assertThat(rig.output(later)).isEqualTo("started\n");
    }

    @Test
    void an_order_of_another_epoch_is_ignored() {
        NodeSeen seen = placement.register(node);
        RunId stale = HandPlacement.newRun();
        var spec = placement.writeSpec(Jobs.script(stale.job(), rig.work, "exit 0"));
        placement.write(
                new Order.Launch(
                        seen.node(),
                        placement.epoch(node) - 1,
                        1,
                        stale,
                        spec,
                        LaunchMode.BATCH,
                        false,
                        List.of(allocation(node, 0)),
                        0));
        RunId good = run("exit 0");

        placement.await(Ended.class, good);

        assertThat(placement.reports(stale)).isEmpty();
    }

    /// What an agent before it had on its way came late, and was answered.
    @Test
    void an_order_of_a_newer_epoch_makes_the_agent_register_again() {
        NodeSeen first = placement.register(node);
        RunId running = run("sleep 60");
        placement.await(Started.class, running);

        placement.sync(
                new NodeSeen(
                        first.node(),
                        "another nonce",
                        first.machineId(),
                        first.bootId(),
                        first.agentVersion(),
                        first.inventory(),
                        List.of(),
                        0));
        NodeSeen second = placement.register(node, running);
        long epoch = placement.epoch(node);
        placement.await(Started.class, running, started -> started.epoch() == epoch);

        assertThat(second.nonce()).isNotEqualTo(first.nonce());
        assertThat(second.runs()).containsExactly(new HeldRun(running, HeldRun.Phase.RUNNING));
    }

    @Test
    void an_order_number_that_comes_twice_is_obeyed_once() {
        placement.register(node);
        RunId run = HandPlacement.newRun();
        var launch = placement.launch(node, run, Jobs.script(run.job(), rig.work, "exit 0"), 64);
        placement.await(Ended.class, run);
        rig.awaitForgotten();

        placement.write(launch);
        RunId next = run("exit 0");
        placement.await(Ended.class, next);

        assertThat(placement.reports(run)).hasExactlyElementsOfTypes(Started.class, Ended.class);
    }

    @Test
    void an_order_for_an_earlier_lease_of_a_job_does_not_touch_the_one_that_runs()
            throws IOException {
        placement.register(node);
        RunId stale = HandPlacement.newRun();
        var current = new RunId(stale.job(), 2);
        String body = "while [ ! -e done ]; do sleep 0.05; done; exit 3";
        placement.launch(node, current, Jobs.script(stale.job(), rig.work, body), 64);
        placement.await(Started.class, current);

        placement.stop(node, stale, 0);
        placement.awaitHeartbeat(node, it -> it.applied() == 2);
        Files.writeString(rig.work.resolve("done"), "");

        Ended ended = placement.await(Ended.class, current);
        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(ended.exit()).isEqualTo(new ExitStatus(3, 0));
    }

    @Test
    void a_gap_in_the_numbers_makes_the_agent_register_again() {
        NodeSeen first = placement.register(node);
        RunId running = run("sleep 60");
        placement.await(Started.class, running);

        placement.skipNumber(node);
        RunId unheard = run("exit 0");
        NodeSeen second = placement.register(node, running);
        long epoch = placement.epoch(node);
        placement.await(Started.class, running, started -> started.epoch() == epoch);

        assertThat(second.nonce()).isNotEqualTo(first.nonce());
        assertThat(second.runs()).containsExactly(new HeldRun(running, HeldRun.Phase.RUNNING));
        assertThat(placement.reports(unheard)).isEmpty();
    }

    @Test
    void a_run_that_a_sync_does_not_want_is_ended() {
        placement.register(node);
        RunId run = run("sleep 60");
        placement.await(Started.class, run);

        placement.skipNumber(node);
        placement.go(node, run);
        placement.register(node);
        Ended ended = placement.await(Ended.class, run);

        assertThat(ended.cause()).isEqualTo(Cause.STOPPED);
        assertThat(ended.epoch()).isEqualTo(placement.epoch(node));
    }

    @Test
    void an_unanswered_registration_is_repeated_and_the_old_answer_is_void() {
        NodeSeen first = placement.awaitSeen(node);
        NodeSeen second = placement.awaitSeen(node);

        placement.sync(first);
        placement.sync(second);
        rig.awaitStanding(Standing.IN_EPOCH);

        assertThat(rig.agent().status().epoch()).isEqualTo(placement.epoch(node));
    }

    @Test
    void a_registration_names_the_end_of_the_reports_before_it() {
        placement.register(node);
        RunId run = run("exit 0");
        Ended ended = placement.await(Ended.class, run);
        rig.awaitForgotten();

        placement.skipNumber(node);
        placement.go(node, run);
        NodeSeen second = placement.awaitSeen(node);

        assertThat(ended.cause()).isEqualTo(Cause.EXITED);
        assertThat(second.runs()).isEmpty();
        assertThat(second.reportsEnd()).isGreaterThanOrEqualTo(2);
    }

    @Test
    void a_refused_agent_stops_and_says_why() {
        NodeSeen seen = placement.awaitSeen(node);

        placement.write(
                new Order.Refused(seen.node(), 0, seen.nonce(), "another machine has the name"));
        rig.awaitStanding(Standing.STOPPED);

        assertThat(rig.agent().status().why()).isEqualTo("another machine has the name");
        assertThat(rig.agent().orders().unregistered()).isFalse();
    }

    @Test
    void an_agent_that_is_refused_for_now_says_why_and_registers_again() {
        NodeSeen first = placement.awaitSeen(node);

        placement.write(
                new Order.Refused(first.node(), 0, first.nonce(), "another agent has it", true));
        NodeSeen second = placement.awaitSeen(node);
        String why = rig.agent().status().why();
        placement.sync(second);
        rig.awaitStanding(Standing.IN_EPOCH);

        assertThat(why).isEqualTo("another agent has it");
        assertThat(rig.agent().status().why()).isNull();
        assertThat(second.life()).isNotNull().isEqualTo(first.life());
    }

    @Test
    void an_order_of_an_unknown_type_stops_the_agent_but_not_its_runs() {
        placement.register(node);
        RunId run = run("sleep 60");
        placement.await(Started.class, run);

        placement.writeRaw(node, "berth.placements.v1/Newer", "{}");
        rig.awaitStanding(Standing.STOPPED);

        assertThat(rig.agent().status().why()).contains("Newer");
        assertThat(rig.agent().runs()).containsExactly(new HeldRun(run, HeldRun.Phase.RUNNING));
    }

    @Test
    void a_corrupt_order_stops_the_agent_but_not_its_runs() {
        placement.register(node);
        RunId run = run("sleep 60");
        placement.await(Started.class, run);

        placement.writeRaw(node, "berth.placements.v1/Stop", "null");
        rig.awaitStanding(Standing.STOPPED);

        assertThat(rig.agent().status().why()).contains("not a berth.placements.v1/Stop");
        assertThat(rig.agent().runs()).containsExactly(new HeldRun(run, HeldRun.Phase.RUNNING));
    }

    /// Each of the others has a record of this node's name, which would stop an agent that reads
    /// it.
    @Test
    void only_the_partition_of_a_node_is_read_for_its_orders() {
        placement.register(node);
        ProducerRecord<byte[], byte[]> order =
                placement.record(new Order.Go(new NodeName(node), 0, 0, HandPlacement.newRun()));
        for (int partition = 0; partition < 8; partition++) {
            if (partition != order.partition()) {
                var elsewhere =
                        new ProducerRecord<>(
                                order.topic(),
                                partition,
                                order.key(),
                                "null".getBytes(StandardCharsets.UTF_8));
                order.headers().forEach(elsewhere.headers()::add);
                placement.write(elsewhere);
            }
        }

        for (int launch = 0; launch < 3; launch++) {
            placement.await(Ended.class, run("true"));
        }

        assertThat(rig.agent().status().standing()).isEqualTo(Standing.IN_EPOCH);
    }

    @Test
    void heartbeats_carry_the_epoch_the_last_order_and_the_runs() {
        placement.register(node);
        RunId run = run("sleep 60");
        placement.await(Started.class, run);

        var heartbeat = placement.awaitHeartbeat(node, it -> it.applied() == 1);

        assertThat(heartbeat.epoch()).isEqualTo(placement.epoch(node));
        assertThat(heartbeat.runs()).containsExactly(run);
        assertThat(heartbeat.memoryUsedMib()).isPositive();
    }

    private Allocation allocation(String name, int index) {
        return new Allocation(new NodeName(name), index, 1, IndexSet.firstN(1), 64, List.of());
    }
}
