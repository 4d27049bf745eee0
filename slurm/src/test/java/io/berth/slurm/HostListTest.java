package io.berth.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class HostListTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node01 node02 node03 node07 gpu1 | gpu1,node[01-03,07]",
                "node8 node9 node10 | node[8-10]",
                "node08 node09 node10 | node[08-10]",
                "node099 node100 | node[099-100]",
                "node9 node010 | node[9,010]",
                "node1 node01 | node[1,01]",
                "login | login",
                "login login2 login3 | login,login[2-3]",
                "rack1-gpu1 rack1-gpu2 rack2-gpu1 | rack1-gpu[1-2],rack2-gpu1",
                "a2 a1 a2 | a[1-2]"
            })
    void hosts_are_compressed_into_ranges_that_keep_the_padding(String hosts, String list) {
        assertThat(HostList.compress(List.of(hosts.split(" ")))).isEqualTo(list);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "n[1-2]-ib,x | n1-ib n2-ib x",
                "r[1-2]n[01-02] | r1n01 r1n02 r2n01 r2n02",
                "node[3,1] | node3 node1"
            })
    void lists_that_only_people_write_are_expanded_too(String list, String hosts) {
        assertThat(HostList.expand(list)).containsExactly(hosts.split(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node03 node01 node02 | node[03,01-02]",
                "node2 gpu1 node1 | node2,gpu1,node1",
                "node1 node2 | node[1-2]"
            })
    void hosts_can_keep_their_own_order(String hosts, String list) {
        assertThat(HostList.inOrder(List.of(hosts.split(" ")))).isEqualTo(list);
        assertThat(HostList.expand(list)).containsExactly(hosts.split(" "));
    }

    @Test
    void no_hosts_are_the_empty_list() {
        assertThat(HostList.compress(List.of())).isEmpty();
        assertThat(HostList.expand("")).isEmpty();
    }

    @Test
    void expanding_what_was_compressed_gives_every_host_once_and_sorted() {
        for (int seed = 0; seed < 500; seed++) {
            List<String> hosts = someHosts(new Random(seed));

            String list = HostList.compress(hosts);

            var sorted = new TreeSet<>(HostList.ORDER);
            sorted.addAll(hosts);
            assertThat(HostList.expand(list))
                    .as("seed %d: %s", seed, list)
                    .containsExactlyElementsOf(sorted);
        }
    }

    private static List<String> someHosts(Random random) {
        var hosts = new ArrayList<String>();
        String[] prefixes = {"", "node", "gpu-", "a1b", "n0", "x.y"};
        int size = random.nextInt(30);
        for (int i = 0; i < size; i++) {
            String prefix = prefixes[random.nextInt(prefixes.length)];
            String number =
                    switch (random.nextInt(4)) {
                        case 0 -> "";
                        case 1 -> Integer.toString(random.nextInt(12));
                        case 2 -> "0".repeat(random.nextInt(3)) + random.nextInt(120);
                        default -> Long.toString(random.nextLong(Long.MAX_VALUE)) + "1234567890";
                    };
            if (!prefix.isEmpty() || !number.isEmpty()) {
                hosts.add(prefix + number);
            }
        }
        return hosts;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"n[1-2", "n1]", "n[[1]]", "n[2-1]", "n[a-b]", "n[]", "n[1-999999999999]"})
    void what_is_no_list_is_refused(String list) {
        assertThatThrownBy(() -> HostList.expand(list))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("host list '");
    }
}
