package io.berth.agent.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.agent.session.StepLayout.Asked;
import io.berth.agent.session.StepLayout.Held;
import io.berth.agent.session.StepLayout.Impossible;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepLayoutTest {

    /// Three nodes with two, two and one task, of four CPUs each.
    private static final List<Held> JOB =
            List.of(new Held("a", 2, 4), new Held("b", 2, 4), new Held("c", 1, 4));

    /// What is asked for: `N<nodes> n<tasks> p<tasks per node> c<cpus> O<overcommit> r<relative>
    /// w<named> x<excluded> m<distribution>`.
    private static Asked asked(String text) {
        Map<Character, String> given =
                List.of(text.split(" ")).stream()
                        .filter(it -> !it.isEmpty())
                        .collect(Collectors.toMap(it -> it.charAt(0), it -> it.substring(1)));
        return new Asked(
                number(given, 'N'),
                number(given, 'n'),
                number(given, 'p'),
                Math.max(1, number(given, 'c')),
                given.containsKey('O') ? 0 : Math.max(1, number(given, 'c')),
                number(given, 'r'),
                names(given, 'w'),
                names(given, 'x'),
                given.getOrDefault('m', ""));
    }

    private static int number(Map<Character, String> given, char name) {
        return Integer.parseInt(given.getOrDefault(name, "0"));
    }

    private static List<String> names(Map<Character, String> given, char name) {
        String names = given.get(name);
        return names == null ? List.of() : List.of(names.split(","));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''            | a 0,1; b 2,3; c 4  | 2(x2),1",
                "N2            | a 0,1; b 2,3       | 2(x2)",
                "N1            | a 0,1              | 2",
                "n5            | a 0,1; b 2,3; c 4  | 2(x2),1",
                "n2            | a 0; b 1           | 1(x2)",
                "N2 n5         | a 0,1,2; b 3,4     | 3,2",
                "N3 n1         | a 0                | 1",
                "N2 n5 mcyclic | a 0,2,4; b 1,3     | 3,2",
                "N2 n5 mcyclic,nopack | a 0,2,4; b 1,3 | 3,2",
                "p3            | a 0,1,2; b 3,4,5; c 6,7,8 | 3(x3)",
                "n4 p2         | a 0,1; b 2; c 3    | 2,1(x2)",
                "r1            | b 0,1; c 2         | 2,1",
                "r1 N1 n2      | b 0,1              | 2",
                "wc            | c 0                | 1",
                "wc N2         | a 0,1; c 2         | 2,1",
                "xa            | b 0,1; c 2         | 2,1",
                "N2 n6 c2 O    | a 0,1,2; b 3,4,5   | 3(x2)",
                "N2 n20 O      | a 0,1,2,3,4,5,6,7,8,9; b 10,11,12,13,14,15,16,17,18,19 | 10(x2)"
            })
    void tasks_are_on_the_nodes_that_are_asked_for(String asked, String nodes, String perNode)
            throws Impossible {
        StepLayout layout = StepLayout.of(asked(asked), JOB);

        assertThat(
                        layout.nodes().stream()
                                .map(it ->
                                        it.name()
                                                + " "
                                                + it.ranks().stream()
                                                        .map(String::valueOf)
                                                        .collect(Collectors.joining(",")))
                                .collect(Collectors.joining("; ")))
                .isEqualTo(nodes);
        assertThat(layout.tasksPerNode()).isEqualTo(perNode);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "N4        | Only allocated 3 nodes asked for 4",
                "r1 N3     | Only allocated 2 nodes asked for 3",
                "r3        | --relative=3: the job's nodes are 0 to 2",
                "wd        | node d is none of the job's: a,b,c",
                "N2 n5 p2  | More processors requested than permitted: 5 tasks on 2 nodes with 2 each",
                "N2 n9     | More processors requested than permitted (9, the job holds 8 there; with -O tasks share them)",
                "N1 n3 c2  | More processors requested than permitted (6, the job holds 4 there; with -O tasks share them)",
                "p5        | More processors requested than permitted (15, the job holds 12 there; with -O tasks share them)",
                "c3        | More processors requested than permitted (15, the job holds 12 there; with -O tasks share them)",
                "mplane=2  | --distribution=plane=2 is not there: block or cyclic"
            })
    void what_cannot_be_is_said_in_one_line(String asked, String message) {
        assertThatThrownBy(() -> StepLayout.of(asked(asked), JOB)).hasMessage(message);
    }

    @Test
    void the_jobs_nodes_come_in_the_jobs_order() throws Impossible {
        assertThat(StepPlan.held(Map.of("BERTH_STEP_NODES", "b:2:8,a:1:4")))
                .containsExactly(new Held("b", 2, 8), new Held("a", 1, 4));
        assertThatThrownBy(() -> StepPlan.held(Map.of()))
                .hasMessage("BERTH_STEP_NODES is not as the job was given it");
    }

    @Test
    void tasks_of_several_layouts_are_numbered_over_all() throws Impossible {
        StepLayout joined =
                StepLayout.joined(
                        List.of(
                                StepLayout.of(asked("n1"), List.of(new Held("c", 1, 4))),
                                StepLayout.of(asked("N2 n3 mcyclic"), JOB)));

        assertThat(joined.nodes())
                .containsExactly(
                        new StepLayout.OnNode("c", List.of(0)),
                        new StepLayout.OnNode("a", List.of(1, 3)),
                        new StepLayout.OnNode("b", List.of(2)));
        assertThat(joined.hosts()).containsExactly("c", "a", "b", "a");
        assertThat(joined.tasksPerNode()).isEqualTo("1,2,1");
    }

    @Test
    void the_nodes_of_many_tasks_are_not_told_one_by_one() throws Impossible {
        List<Held> job = List.of(new Held("a", 500, 500), new Held("b", 501, 501));

        assertThat(StepRun.hosts(StepLayout.of(asked("n1000"), job)).orElseThrow().split(","))
                .hasSize(1000);
        assertThat(StepRun.hosts(StepLayout.of(asked("n1001"), job))).isEmpty();
    }
}
