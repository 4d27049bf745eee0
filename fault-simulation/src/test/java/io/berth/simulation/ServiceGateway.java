package io.berth.simulation;

import io.berth.simulation.SimulatedClients.Group;
import io.berth.submit.kafka.GatewayService;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/// An instance of the gateway that is the service itself but for HTTP: its view of the log, and two
/// threads that answer. It goes on from call to call of its clients, thread by thread, and between
/// any two it may stand still or die.
final class ServiceGateway {

    private static final int THREADS = 3;

    private final SimulatedClients clients;
    private final RandomGenerator random;
    private final Queue<Consumer<GatewayService>> waiting = new ArrayDeque<>();

    /// Of this life, as what follows.
    private GatewayService service;

    private int unanswered;

    ServiceGateway(SimulatedLog log, RandomGenerator random, LongSupplier right) {
        this.clients = new SimulatedClients(log, new Group(), random, right, _ -> {});
        this.random = random;
        this.service = started();
    }

    private GatewayService started() {
        var started = new GatewayService(clients, clients);
        clients.start(started::follow, this::serve, this::serve);
        return started;
    }

    private void serve() {
        while (true) {
            Consumer<GatewayService> next = waiting.poll();
            if (next == null) {
                clients.sleep(0);
            } else {
                next.accept(service);
                unanswered--;
            }
        }
    }

    /// Sends it a request, of which nothing more is heard if it dies before it answers.
    void ask(Consumer<GatewayService> request) {
        waiting.add(request);
        unanswered++;
    }

    /// Whether somebody waits for its answer.
    boolean busy() {
        return unanswered > 0;
    }

    /// It is killed, more often than not when it has just written something and that is on its way,
    /// and started anew.
    void restart() {
        if (random.nextInt(4) != 0) {
            for (int calls = 0; calls < 16 && clients.underway() == 0; calls++) {
                step();
            }
        }
        waiting.clear();
        unanswered = 0;
        service = started();
    }

    /// Whether it can answer.
    boolean ready() {
        return service.ready();
    }

    private void step() {
        clients.step(random.nextInt(THREADS));
    }

    /// It goes on for a while.
    void goOn() {
        for (int calls = random.nextInt(12); calls > 0; calls--) {
            step();
        }
    }

    /// It reaches the log, and all that is on its way comes.
    void calm() {
        clients.cutOff(false);
        clients.landAll();
        goOn();
    }

    void cutOff(boolean now) {
        clients.cutOff(now);
    }

    void skew(long millis) {
        clients.skew(millis);
    }

    /// A record comes or is answered, or its writer gives up on it.
    void land() {
        if (random.nextInt(3) == 0) {
            clients.giveUp();
        } else {
            clients.land(1);
        }
    }

    void die() {
        clients.kill();
    }
}
