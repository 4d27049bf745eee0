package io.berth.core.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.JobDescription;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.Limits;
import io.berth.contracts.NodeName;
import io.berth.contracts.Tres;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.NodeRequest;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.Terms;
import io.berth.core.state.Input;
import io.berth.core.testing.TestCell;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// 16 GPUs on two nodes; `lab` is guaranteed 8 of them, `dark` 4 of these, `shop` 12.
final class QueueStatusTest {

    private final TestCell cell = new TestCell();

    @BeforeEach
    void accounts() {
        List<Function<Part, ConfigEntry>> accounts =
                List.of(
                        it -> account(it, "lab", null, 8),
                        it -> account(it, "dark", "lab", 4),
                        it -> account(it, "light", "lab", 0),
                        it -> account(it, "shop", null, 12));
        cell.configure(TestCell.configuration(Limits.NONE, PreemptRules.NONE, accounts), _ -> {});
        cell.node("n1", 16, 8, "a100");
        cell.node("n2", 16, 8, "a100");
    }

    private static Account account(Part part, String name, @Nullable String parent, long gpus) {
        Map<String, Long> guarantee = gpus == 0 ? Map.of() : Map.of(Tres.GPU, gpus);
        var terms = new Terms(null, List.of(), 0, Limits.NONE, Map.of(), guarantee);
        return new Account(part, name, parent, 1, terms, null);
    }

    private void submit(long id, String account, int gpus) {
        cell.submit(
                id,
                new JobDescription(
                        "alice",
                        account,
                        "batch",
                        "normal",
                        "job",
                        TestCell.gpus(1, gpus, null),
                        LaunchMode.BATCH,
                        600,
                        0,
                        true));
        cell.round();
    }

    private QueueStatus queue(String account) {
        return QueueStatus.of(cell.state).queues().stream()
                .filter(it -> it.account().equals(account))
                .findFirst()
                .orElseThrow();
    }

    private static @Nullable Long gpus(Map<String, Long> amounts) {
        return amounts.get(Tres.GPU);
    }

    @Test
    void what_an_account_uses_is_used_by_those_above_it_too() {
        submit(1, "dark", 2);
        submit(2, "light", 3);

        assertThat(gpus(queue("lab").used())).isEqualTo(5);
        assertThat(gpus(queue("dark").used())).isEqualTo(2);
        assertThat(queue("lab")).extracting(QueueStatus::running).isEqualTo(2);
        assertThat(queue("shop").used()).isEmpty();
    }

    @Test
    void borrowed_is_what_runs_take_that_do_not_stand() {
        submit(1, "dark", 3);
        submit(2, "dark", 3);
        submit(3, "light", 4);

        assertThat(gpus(queue("dark").borrowed())).isEqualTo(3);
        assertThat(gpus(queue("light").borrowed())).isEqualTo(4);
        assertThat(gpus(queue("lab").borrowed())).isEqualTo(4);
        assertThat(gpus(queue("shop").borrowed())).isNull();
    }

    @Test
    void lent_is_what_would_have_to_be_given_back() {
        submit(1, "light", 6);
        assertThat(gpus(queue("shop").lent())).isEqualTo(2);
        assertThat(gpus(queue("lab").lent())).isNull();

        submit(2, "shop", 4);
        submit(3, "other", 4);

        assertThat(gpus(queue("shop").lent())).isEqualTo(6);
        assertThat(gpus(queue("dark").lent())).isEqualTo(2);
        assertThat(gpus(queue("lab").lent())).isNull();
    }

    @Test
    void waiting_jobs_are_counted_and_what_is_guaranteed_beyond_the_nodes_is_told() {
        submit(1, "dark", 8);
        submit(2, "shop", 8);
        submit(3, "dark", 1);
        cell.take(
                new Input.NodeAsked(
                        new NodeRequest.DrainRequested(new NodeName("n2"), "root", "fan")));

        QueueStatus.All all = QueueStatus.of(cell.state);
        assertThat(queue("lab")).extracting(QueueStatus::pending).isEqualTo(1);
        assertThat(gpus(all.guaranteed())).isEqualTo(20);
        assertThat(gpus(all.capacity())).isEqualTo(8);
    }
}
