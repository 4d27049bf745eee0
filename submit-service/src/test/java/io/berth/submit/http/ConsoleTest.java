package io.berth.submit.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.GpuSample;
import io.berth.contracts.Hardware;
import io.berth.contracts.Inventory;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.RunId;
import io.berth.contracts.event.Heartbeat;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.event.JobStatus.Planned;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.NodeSeen;
import io.berth.contracts.event.NodeStatus;
import io.berth.contracts.event.NodeStatus.Presence;
import io.berth.contracts.event.Submission.CancelRequested;
import io.berth.contracts.event.Submission.Held;
import io.berth.contracts.event.Submission.Submitted;
import io.berth.contracts.topic.Topics;
import io.berth.core.state.Transitions;
import io.berth.slurm.session.Frame;
import io.berth.submit.Samples;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.RestAssured;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The console as a browser shows it. Skipped where this system has no Chromium. With
/// `-Dberth.screenshots=<folder>` it leaves pictures there.
@QuarkusTest
@QuarkusTestResource(MeshResource.class)
class ConsoleTest {
    private static final String HOSTILE = "<img src=x onerror=document.hacked=1>\u202Eevil";

    private final Mesh mesh = Mesh.connect();
    private static @Nullable Browser opened;

    @BeforeAll
    static void open() throws IOException {
        var program = Browser.program();
        assumeThat(program).as("a Chromium on the PATH").isPresent();
        opened = Browser.start(program.orElseThrow());
    }

    @AfterAll
    static void close() throws IOException {
        if (opened != null) {
            opened.close();
        }
    }

    @BeforeEach
    void ready() {
        Api.awaitReady();
        browser().anew();
    }

    @AfterEach
    void disconnect() {
        mesh.close();
    }

    private static Browser browser() {
        if (opened == null) {
            throw new IllegalStateException("no browser was started");
        }
        return opened;
    }

    private static void signIn(String token) {
        browser().anew();
        browser().go("http://127.0.0.1:" + RestAssured.port + "/#token=" + token);
        awaitText("live");
    }

    private static void awaitText(String text) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(browser().text()).contains(text));
    }

    private static void look(String name) throws IOException {
        String folder = System.getProperty("berth.screenshots", "");
        if (!folder.isEmpty()) {
            Files.write(Path.of(folder, name + ".png"), browser().screenshot());
        }
    }

    @Test
    void it_shows_the_cluster_and_the_queue_and_what_happens_without_being_asked()
            throws Exception {
        long first = Api.submitted("alice", "\"name\":\"first-job\"");
        signIn(Tokens.user("alice"));
        awaitText("dgx-01");
        look("cluster");

        browser().key("2");
        awaitText("first-job");
        assertThat(browser().text()).contains("alice");
        long later = Api.submitted("alice", "\"name\":\"later-job\"");
        mesh.write(
                Topics.JOBS,
                new JobEvent.Queued(new JobId(later), 1, mesh.submitted(later).description()));
        awaitText("later-job");
        look("queue");

        assertThat(browser().evaluate("location.href").asText()).doesNotContain("token");
        assertThat(browser().errors()).isEmpty();
        Api.as("alice").delete("/v1/jobs/" + first).then().statusCode(202);
    }

    @Test
    void names_are_text_wherever_they_show() throws Exception {
        long id =
                Api.submitted(
                        "alice", "\"name\":\"" + HOSTILE + "\",\"terms\":{\"comment\":\"<b>\"}");
        signIn(Tokens.user("alice"));

        for (String view : List.of("#/jobs", "#/jobs/" + id, "#/cluster", "#/nodes/<script>")) {
            browser().evaluate("location.hash = '" + view + "'");
            if (view.startsWith("#/jobs")) {
                awaitText("<img src=x onerror=document.hacked=1>⍰evil");
            }
        }
        awaitText("There is no node");

        assertThat(browser().evaluate("document.hacked === undefined").asBoolean()).isTrue();
        assertThat(browser().evaluate("document.querySelectorAll('main img').length").asInt())
                .isZero();
        assertThat(browser().errors()).isEmpty();
    }

    @Test
    void a_jobs_page_draws_what_its_gpus_do_and_lets_its_owner_end_it() throws Exception {
        long id = Api.submitted("alice", "\"name\":\"curves\",\"gpus\":2");
        Submitted submitted = mesh.submitted(id);
        List<String> gpus = List.of("GPU-dgx-01-0", "GPU-dgx-01-1");
        mesh.jobStatus(
                Samples.status(
                        submitted,
                        JobState.RUNNING,
                        Samples.run(Samples.DGX, System.currentTimeMillis() - 60_000, gpus),
                        0));
        Api.eventually(
                () -> Api.as("alice").get("/v1/jobs/" + id).then().body("state", is("RUNNING")));
        for (int i = 1; i <= 20; i++) {
            mesh.write(Topics.HEARTBEATS, beat(id, i));
        }
        var agent = new FakeAgent(mesh, id);
        String written = "\u001b[32mepoch 1\u001b[0m\r\n" + HOSTILE + "\u001b]0;title\u0007\n";
        agent.says(
                Frame.control("output 0"),
                new Frame(Frame.Channel.OUTPUT, written.getBytes(StandardCharsets.UTF_8)));
        signIn(Tokens.user("alice"));
        browser().evaluate("location.hash = '#/jobs/" + id + "'");
        awaitText("What its GPUs do");
        awaitText("epoch 1\n<img src=x onerror=document.hacked=1>⍰evil␛]0;title␇");
        assertThat(browser().evaluate("document.hacked === undefined").asBoolean()).isTrue();
        assertThat(browser().text()).contains("waited ").contains("runs 1:0");
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() ->
                        browser()
                                        .evaluate(
                                                "document.querySelectorAll('#curves polyline').length")
                                        .asInt()
                                == 6);
        assertThat(browser().text()).contains("Power up to 420 W").contains("Memory up to");
        look("job");

        browser().evaluate("location.hash = '#/cluster'");
        agent.awaitLetGo();
        browser().evaluate("location.hash = '#/jobs/" + id + "'");
        awaitText("Cancel job");
        browser().evaluate("window.confirm = () => true");
        browser().click("button", "Cancel job");

        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() ->
                        mesh.events(Topics.SUBMISSIONS).stream()
                                .anyMatch(it ->
                                        it instanceof CancelRequested asked
                                                && asked.job().value() == id
                                                && asked.user().equals("alice")));
        assertThat(browser().errors()).isEmpty();
    }

    @Test
    void the_curves_of_a_thousand_gpus_are_drawn() {
        signIn(Tokens.user("alice"));

        String drawn =
                """
                import('/console/views/curves.js').then(({ curves }) => {
                  const at = Array.from({ length: 240 }, (_, moment) => 1000 + moment);
                  const [use, none] = [at.map(() => 50), at.map(() => null)];
                  const gpus = Array.from({ length: 1000 }, (_, gpu) =>
                    ({ node: 'n', uuid: `GPU-${gpu}`, at, use, memoryUsedMib: none, milliwatts: none }));
                  return curves(gpus).querySelectorAll('polyline').length;
                })
                """;
        assertThat(browser().evaluate(drawn).asInt()).isEqualTo(1000);
    }

    /// The number of an array is that of its first task.
    @Test
    void the_page_of_an_arrays_first_task_is_about_that_task_alone() throws Exception {
        long id = Api.submitted("alice", "\"name\":\"sweep\",\"terms\":{\"array\":\"0-1\"}");
        List<Submitted> tasks = mesh.submitted(id).jobs();
        for (Submitted task : tasks) {
            mesh.jobStatus(
                    Samples.status(
                            task,
                            JobState.RUNNING,
                            Samples.run(Samples.DGX, System.currentTimeMillis(), List.of()),
                            0));
        }
        Api.eventually(() ->
                Api.as("alice").get("/v1/jobs/" + id + "_0").then().body("state", is("RUNNING")));
        signIn(Tokens.user("alice"));
        browser().evaluate("location.hash = '#/jobs/" + id + "'");
        awaitText("Cancel job");
        awaitText(id + "_0 sweep");
        browser().key("2");
        awaitText(id + "_1");
        browser().evaluate("location.hash = '#/jobs/" + id + "'");
        awaitText("Cancel job");
        browser().evaluate("window.confirm = (text) => (window.asked = text, true)");
        browser().click("button", "Cancel job");

        List<Long> numbers = tasks.stream().map(it -> it.job().value()).toList();
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() ->
                        assertThat(
                                        mesh.events(Topics.SUBMISSIONS).stream()
                                                .filter(CancelRequested.class::isInstance)
                                                .map(it -> it.job().value())
                                                .filter(numbers::contains))
                                .containsExactly(id));
        assertThat(browser().evaluate("window.asked").asText()).contains(id + "_0");

        mesh.jobStatus(
                Samples.status(
                        tasks.getFirst(), JobState.CANCELLED, null, System.currentTimeMillis()));
        awaitText("cancelled");
        assertThat(browser().text()).contains(id + "_0 sweep");
        mesh.jobStatus(
                Samples.status(
                        tasks.getLast(), JobState.COMPLETED, null, System.currentTimeMillis()));
    }

    private static Heartbeat beat(long job, int moment) {
        var samples =
                List.of("GPU-dgx-01-0", "GPU-dgx-01-1", "GPU-dgx-01-7").stream()
                        .map(uuid ->
                                new GpuSample(
                                        uuid,
                                        Math.min(100, 5 * moment),
                                        2000L * moment,
                                        21_000L * moment,
                                        null,
                                        50,
                                        null,
                                        null,
                                        null,
                                        null,
                                        List.of(),
                                        Hardware.Health.HEALTHY))
                        .toList();
        return new Heartbeat(
                Samples.DGX.node(),
                1,
                0,
                List.of(new RunId(new JobId(job), 1)),
                250,
                12_000,
                samples,
                List.of());
    }

    @Test
    void who_may_not_touch_a_job_is_not_asked_to_and_its_owner_may_hold_it() throws Exception {
        long id = Api.submitted("alice", "\"name\":\"mine\"");
        signIn(Tokens.user("bob"));
        browser().evaluate("location.hash = '#/jobs/" + id + "'");
        awaitText("What it asks for");
        assertThat(browser().evaluate("document.querySelectorAll('main button').length").asInt())
                .isZero();

        signIn(Tokens.user("alice"));
        browser().evaluate("location.hash = '#/jobs/" + id + "'");
        awaitText("Cancel job");
        browser().click("button", "Hold");

        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() ->
                        mesh.events(Topics.SUBMISSIONS).stream()
                                .anyMatch(
                                        it -> it instanceof Held held && held.job().value() == id));
    }

    /// What a GPU that is not well tells.
    private static Heartbeat beat(Hardware.Health health) {
        var sample =
                new GpuSample(
                        "GPU-dgx-01-7",
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        List.of(),
                        health);
        return new Heartbeat(
                Samples.DGX.node(), 1, 0, List.of(), 250, 12_000, List.of(sample), List.of());
    }

    /// The node with one GPU more, which does not answer.
    private static NodeStatus withLostGpu(NodeSeen seen) {
        Inventory it = seen.inventory();
        var lost = new Hardware.OutOfService(4, null, null, Hardware.Health.LOST, HOSTILE);
        var inventory =
                new Inventory(
                        it.sockets(),
                        it.coresPerSocket(),
                        it.threadsPerCore(),
                        it.cpus(),
                        it.memoryMib(),
                        it.gpus(),
                        it.isolation(),
                        it.simulated(),
                        it.profile(),
                        it.os(),
                        it.architecture(),
                        null,
                        new Hardware(List.of(), List.of(), 0, List.of(), List.of(lost)));
        return Samples.nodeStatus(
                new NodeSeen(seen.node(), "n", "m", "b", "0.1.0", inventory, List.of(), 0),
                Presence.UP);
    }

    @Test
    void the_map_tells_how_gpus_are_shows_one_kind_alone_and_arrows_move_in_it() throws Exception {
        mesh.write(Topics.HEARTBEATS, beat(Hardware.Health.SUSPECT));
        mesh.write(Topics.NODE_STATES, withLostGpu(Samples.VOLTA));
        signIn(Tokens.user("alice"));
        browser().key("c");
        browser().key("c");
        awaitText("suspect: an error that may pass");
        awaitText("GPU does not answer");
        look("map");

        // Drawn anew while the pointer is down.
        browser()
                .evaluate(
                        """
                        (async () => {
                          const button = () => [...document.querySelectorAll('.legend button')].find((it) => it.textContent.includes('suspect'));
                          const before = button();
                          before.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
                          dispatchEvent(new Event('berth-redraw'));
                          while (button() === before) await new Promise(requestAnimationFrame);
                          button().dispatchEvent(new PointerEvent('pointerup', { bubbles: true }));
                        })()\
                        """);
        browser().evaluate("document.querySelector('.racks').focus()");
        for (String arrow : List.of("ArrowRight", "ArrowDown", "ArrowRight", "ArrowUp")) {
            browser()
                    .evaluate(
                            "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '%s', bubbles: true }))"
                                    .formatted(arrow));
        }

        assertThat(browser().evaluate("document.activeElement.ariaLabel").asText())
                .isEqualTo("dgx-01 GPU 2: free");
        assertThat(opacity(".suspect")).isEqualTo(1);
        assertThat(opacity(".healthy")).isLessThan(0.5);
        assertThat(browser().evaluate("document.querySelector('.racks .gone').tip()").asText())
                .contains("lost: <img src=x onerror=document.hacked=1>⍰evil");
        browser().evaluate("location.hash = '#/nodes/volta-01'");
        awaitText("<img src=x onerror=document.hacked=1>⍰evil");
        assertThat(browser().errors()).isEmpty();
        mesh.write(Topics.HEARTBEATS, beat(Hardware.Health.HEALTHY));
        mesh.write(Topics.NODE_STATES, Samples.nodeStatus(Samples.VOLTA, Presence.UP));
    }

    private static double opacity(String kind) {
        return browser()
                .evaluate(
                        "Number(getComputedStyle(document.querySelector('.racks .gpu%s')).opacity)"
                                .formatted(kind))
                .asDouble();
    }

    @Test
    void an_admin_drains_a_node_and_says_why_and_others_are_not_asked_to() throws Exception {
        String node = Samples.DGX.node().value();
        for (String token : List.of(Tokens.user("alice"), Tokens.operator())) {
            open(token, "#/nodes/" + node);
            assertThat(
                            browser()
                                    .evaluate("document.querySelectorAll('main button').length")
                                    .asInt())
                    .isZero();
        }
        open(Tokens.admin(), "#/nodes/" + node);
        browser().evaluate("window.prompt = () => 'fan of the console'");
        browser().click("button", "Drain");

        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() ->
                        mesh.events(Topics.NODE_REQUESTS)
                                .contains(
                                        new NodeRequest.DrainRequested(
                                                Samples.DGX.node(), "root", "fan of the console")));
        assertThat(browser().errors()).isEmpty();
    }

    @Test
    void what_is_offered_goes_by_what_the_books_make_of_one() {
        mesh.publishCluster(to -> to.adminLevels = Map.of("dana", AdminLevel.ADMIN));
        Api.eventually(() -> Api.as("dana").get("/v1/me").then().body("roles", hasItem("admin")));

        open(Tokens.user("dana"), "#/nodes/" + Samples.DGX.node().value());

        assertThat(browser().evaluate("document.querySelector('main button')?.innerText").asText())
                .isIn("Drain", "Resume");
        mesh.publishCluster(List.of());
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() ->
                        browser()
                                .evaluate("document.querySelector('main button') === null")
                                .asBoolean());
        assertThat(browser().errors()).isEmpty();
    }

    @Test
    void a_coordinator_may_end_a_job_of_his_account() {
        long id = Api.submitted("alice", "\"account\":\"team_b\",\"name\":\"of-the-lab\"");
        signIn(Tokens.user("carol"));
        browser().evaluate("location.hash = '#/jobs/" + id + "'");
        awaitText("Cancel job");

        signIn(
                Tokens.token(
                        Map.of("upn", "alice", "groups", List.of("user"), "scope", "berth:read")));
        browser().evaluate("location.hash = '#/jobs/" + id + "'");
        awaitText(id + " of-the-lab");

        assertThat(browser().text()).doesNotContain("Cancel job");
        assertThat(browser().errors()).isEmpty();
        Api.as("alice").delete("/v1/jobs/" + id).then().statusCode(202);
    }

    /// Signs in and goes to the page of a node.
    private static void open(String token, String view) {
        signIn(token);
        browser().evaluate("location.hash = '" + view + "'");
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() ->
                        browser()
                                .evaluate("document.querySelector('main h1')?.innerText ?? ''")
                                .asText()
                                .equals(view.substring(view.lastIndexOf('/') + 1)));
    }

    @Test
    void the_queue_draws_what_runs_and_what_is_planned_over_time() throws Exception {
        long runs = Api.submitted("alice", "\"name\":\"runs\",\"timeLimitSeconds\":3600");
        long waits = Api.submitted("alice", "\"name\":\"waits\",\"timeLimitSeconds\":3600");
        long now = System.currentTimeMillis();
        mesh.jobStatus(
                Samples.status(
                        mesh.submitted(runs),
                        JobState.RUNNING,
                        Samples.run(Samples.DGX, now - 60_000, List.of()),
                        0));
        mesh.jobStatus(
                Transitions.planned(
                        Samples.status(mesh.submitted(waits), JobState.PENDING, null, 0),
                        new Planned(
                                now + 1_800_000,
                                now + 5_400_000,
                                List.of(Samples.DGX.node()),
                                0,
                                null,
                                Map.of())));
        Api.eventually(() ->
                Api.as("alice")
                        .get("/v1/jobs/" + waits)
                        .then()
                        .body("plannedStart", is(now + 1_800_000)));
        signIn(Tokens.user("alice"));
        browser().evaluate("location.hash = '#/jobs'");

        for (String bar :
                List.of(
                        "a[href=\"#/jobs/" + runs + "\"] rect.past",
                        "a[href=\"#/jobs/" + waits + "\"] rect.plan")) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() ->
                            browser()
                                    .evaluate(
                                            "document.querySelector('figure.timeline "
                                                    + bar
                                                    + "') !== null")
                                    .asBoolean());
        }
        assertThat(browser().errors()).isEmpty();
        Api.as("alice").delete("/v1/jobs/" + waits).then().statusCode(202);
        mesh.forgetJob(runs);
    }

    @Test
    void usage_over_time_is_drawn_by_whom_it_is_asked_for() {
        signIn(Tokens.user("alice"));
        // The accounting service is not there.
        browser()
                .evaluate(
                        """
                        const real = window.fetch;
                        window.fetch = (address, options) => {
                          const url = new URL(address, location.href);
                          if (url.pathname !== '/v1/accounting/history') return real(address, options);
                          const [start, end, step] = ['start', 'end', 'step'].map((it) => Number(url.searchParams.get(it)));
                          const use = (account, user, hours) => ({ account, user, gpuType: 'a100', gpuSeconds: hours * 3600, cpuSeconds: 0, nodeSeconds: 0, billingSeconds: 0 });
                          const periods = [{ start, usage: [use('team_a', 'alice', 3), use('<b>team_b', 'bob', 1)] }];
                          return Promise.resolve(new Response(JSON.stringify({ start, end, step, periods }), { headers: { 'Content-Type': 'application/json' } }));
                        };
                        true;
                        """);
        browser().evaluate("location.hash = '#/usage'");

        awaitText("4 GPU hours in all");
        assertThat(browser().text()).contains("team_a", "75.0 %", "<b>team_b", "25.0 %");
        assertThat(
                        browser()
                                .evaluate("document.querySelectorAll('figure.usage rect').length")
                                .asInt())
                .isEqualTo(2);
        browser().click("button", "by user");
        awaitText("bob");
        assertThat(browser().errors()).isEmpty();
    }

    @Test
    void the_queue_shows_all_its_columns_on_a_desk_whatever_jobs_are_called() throws Exception {
        Api.submitted("alice", "\"name\":\"" + "name_".repeat(20) + "\"");
        signIn(Tokens.user("alice"));
        browser().size(1280, 800);
        browser().evaluate("location.hash = '#/jobs'");
        awaitText("name_name_");

        String fits =
                "(() => { const it = document.querySelector('.scroll'); return it.scrollWidth <= it.clientWidth; })()";
        assertThat(browser().evaluate(fits).asBoolean()).isTrue();
    }

    @Test
    void it_fits_a_phone_and_turns_dark() throws Exception {
        Api.submitted("alice", "\"name\":\"" + "long-name-".repeat(10) + "\"");
        signIn(Tokens.user("alice"));
        browser().size(390, 800);
        for (String view : List.of("#/cluster", "#/jobs", "#/nodes", "#/shares")) {
            browser().evaluate("location.hash = '" + view + "'");
            assertThat(
                            browser()
                                    .evaluate("document.documentElement.scrollWidth <= innerWidth")
                                    .asBoolean())
                    .as(view)
                    .isTrue();
        }

        browser().key("d");
        String theme = browser().evaluate("document.documentElement.dataset.theme").asText();

        assertThat(theme).isEqualTo("dark");
        look("phone");
    }

    @Test
    void a_token_that_is_not_valid_is_asked_for_again() {
        browser().go("http://127.0.0.1:" + RestAssured.port + "/#token=a.b.c");

        awaitText("Who are you?");
        awaitText("the token is not valid");
    }
}
