package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.agent.NodeOrders.Standing;
import io.berth.contracts.Allocation;
import io.berth.contracts.IndexSet;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.Order;
import io.berth.contracts.event.Order.Launch;
import io.berth.contracts.event.RunReport.Ended;
import io.berth.log.SigningKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An agent that knows placement's key, and orders that somebody else wrote.
class ForgedOrderTest {

    @TempDir Path folder;
    SigningKey key;
    Path trusted;
    AgentRig rig;
    HandPlacement placement;

    @BeforeEach
    void start() throws Exception {
        Path home = Files.createDirectories(folder.resolve("home"));
        trusted = home.resolve("placement-keys");
        key = SigningKey.of(folder.resolve("placement-private.pem"), trusted);
        rig = new AgentRig(folder, TestConfig.host(home, AgentRig.newNode()));
        placement = rig.placement;
        placement.signWith(key);
    }

    @AfterEach
    void stop() throws IOException {
        placement.signWith(null);
        rig.close();
    }

    /// A launch that would run in the present epoch.
    private Launch launch(RunId run) {
        var node = new NodeName(rig.node);
        var here = new Allocation(node, 0, 1, IndexSet.firstN(1), 64, List.of());
        return new Launch(
                node,
                placement.epoch(rig.node),
                placement.nextNumber(rig.node),
                run,
                placement.writeSpec(Jobs.script(run.job(), rig.work, "touch ran")),
                LaunchMode.BATCH,
                false,
                List.of(here),
                0);
    }

    /// Waits until the agent has gone past all orders written so far.
    private void awaitNextOrder() {
        RunId run = HandPlacement.newRun();
        placement.launch(rig.node, run, Jobs.script(run.job(), rig.work, "exit 0"), 64);
        placement.await(Ended.class, run);
    }

    private void assertNotRun(ProducerRecord<byte[], byte[]> forged) {
        placement.write(forged);
        placement.unnumber(rig.node);
        awaitNextOrder();
        assertThat(rig.work.resolve("ran")).doesNotExist();
    }

    @Test
    void a_signed_order_is_obeyed() {
        placement.register(rig.node);
        RunId run = HandPlacement.newRun();

        placement.write(launch(run));

        assertThat(placement.await(Ended.class, run).exit().successful()).isTrue();
        assertThat(rig.work.resolve("ran")).exists();
    }

    @Test
    void an_order_without_a_signature_runs_nothing() {
        placement.register(rig.node);

        assertNotRun(placement.record(launch(HandPlacement.newRun())));
    }

    @Test
    void records_that_are_no_orders_do_not_end_the_reading_of_orders() {
        placement.register(rig.node);
        ProducerRecord<byte[], byte[]> order = placement.record(launch(HandPlacement.newRun()));
        placement.write(
                new ProducerRecord<>(order.topic(), order.partition(), null, order.value()));
        placement.write(new ProducerRecord<>(order.topic(), order.partition(), order.key(), null));
        var unsigned =
                new ProducerRecord<>(order.topic(), order.partition(), order.key(), order.value());
        unsigned.headers().add("berth_signature", null);
        placement.write(unsigned);
        var untyped =
                new ProducerRecord<>(order.topic(), order.partition(), order.key(), order.value());
        untyped.headers().add("ce_type", null);

        assertNotRun(untyped);
    }

    @Test
    void an_order_that_another_key_has_signed_runs_nothing() throws IOException {
        placement.register(rig.node);
        SigningKey other = SigningKey.of(folder.resolve("other"), folder.resolve("elsewhere"));
        ProducerRecord<byte[], byte[]> forged = placement.record(launch(HandPlacement.newRun()));
        other.sign(List.of(forged));

        assertNotRun(forged);
    }

    @Test
    void the_signature_of_one_order_does_not_serve_another() {
        placement.register(rig.node);
        Launch wanted = launch(HandPlacement.newRun());
        ProducerRecord<byte[], byte[]> genuine =
                placement.record(
                        new Order.Go(wanted.node(), wanted.epoch(), wanted.number(), wanted.run()));
        key.sign(List.of(genuine));
        ProducerRecord<byte[], byte[]> forged = placement.record(wanted);
        forged.headers().add(genuine.headers().lastHeader("berth_signature"));

        assertNotRun(forged);
    }

    @Test
    void a_genuine_order_of_an_older_epoch_runs_nothing_when_it_is_written_again() {
        placement.register(rig.node);
        ProducerRecord<byte[], byte[]> old = placement.record(launch(HandPlacement.newRun()));
        key.sign(List.of(old));
        placement.skipNumber(rig.node);
        placement.go(rig.node, HandPlacement.newRun());
        placement.register(rig.node);

        placement.write(old);
        awaitNextOrder();

        assertThat(rig.work.resolve("ran")).doesNotExist();
    }

    @Test
    void an_epoch_that_nobody_signed_is_not_entered() {
        NodeSeen seen = placement.awaitSeen(rig.node);
        placement.write(placement.record(new Order.Sync(seen.node(), 99, seen.nonce(), List.of())));

        placement.register(rig.node);
        awaitNextOrder();

        assertThat(rig.agent().status().epoch()).isEqualTo(placement.epoch(rig.node));
    }

    @Test
    void orders_are_obeyed_while_placement_changes_its_key() throws IOException {
        placement.register(rig.node);
        rig.awaitStanding(Standing.IN_EPOCH);
        SigningKey next = SigningKey.of(folder.resolve("next-private.pem"), trusted);

        placement.signWith(next);
        Files.delete(trusted.resolve(key.id() + ".pem"));

        awaitNextOrder();
    }
}
