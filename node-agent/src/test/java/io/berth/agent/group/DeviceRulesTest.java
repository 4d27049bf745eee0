package io.berth.agent.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.agent.host.DeviceFile;
import io.berth.agent.host.Drivers;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuHardware.MigInstance;
import io.berth.contracts.IndexSet;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class DeviceRulesTest {

    private static final DeviceRules RULES =
            DeviceRules.parse(
                    List.of(
                            "Character devices:",
                            "195 nvidia",
                            "236 nvidia-uvm",
                            "237 nvidia-caps",
                            "",
                            "Block devices:"));

    private static Gpu instance(int index, String capabilities) {
        var mig = new MigInstance("GPU-1", index, 0, IndexSet.parse(capabilities));
        return new Gpu(
                index,
                "MIG-" + index,
                "a100_1g.5gb",
                "A100",
                3,
                4864,
                0,
                Drivers.nvidia(null, mig));
    }

    @Test
    void an_instance_of_a_split_gpu_opens_the_gpu_and_its_own_capabilities_alone() {
        Gpu held = instance(1, "84-85");
        Gpu other = instance(2, "93-94");

        List<String> rules = RULES.allowing(List.of(held));

        assertThat(rules)
                .contains("c 195:3 rw", "c 237:84 rw", "c 237:85 rw", "c 195:255 rw", "c 236:* rw")
                .doesNotContain("c 237:93 rw", "c 237:94 rw")
                .noneMatch(rule -> rule.startsWith("c 237:*"));
        assertThat(RULES.devices(other)).containsExactly("195:3", "237:93", "237:94");
    }

    @Test
    void a_gpu_of_amds_is_opened_by_its_render_node_and_the_one_file_of_all() {
        DeviceRules rules =
                DeviceRules.parse(List.of("Character devices:", "226 drm", "511 kfd", ""));

        assertThat(rules.allowing(List.of(amd(129))))
                .contains("c 511:0 rw", "c 226:129 rw")
                .noneMatch(rule -> rule.matches("c (195:.*|226:(128|\\*) rw)"));
        assertThat(rules.allowing(List.of())).noneMatch(rule -> rule.matches("c (226|511):.*"));
        assertThat(rules.devices(amd(128))).containsExactly("226:128");
        assertThat(rules.shared(List.of(amd(128)))).containsExactly("511:0");
    }

    private static Gpu amd(int renderMinor) {
        GpuHardware hardware = Drivers.amd("0000:07:00.0", renderMinor);
        return new Gpu(0, "GPU-" + renderMinor, "mi300x", "MI300X", -1, 196_608, 0, hardware);
    }

    @Test
    void an_imex_channel_is_opened_by_its_number_where_the_driver_has_them() {
        assertThat(RULES.imexChannel(3)).isEmpty();
        assertThat(DeviceRules.parse(List.of("240 nvidia-caps-imex-channels")).imexChannel(3))
                .contains("c 240:3 rw");
    }

    @Test
    void a_run_without_gpus_opens_none_of_their_devices() {
        assertThat(RULES.allowing(List.of())).noneMatch(rule -> rule.matches("c (195|236|237):.*"));
    }

    @Test
    void
            a_run_opens_the_other_devices_that_it_was_given_and_the_network_only_if_it_is_not_given_out()
                    throws IOException {
        DeviceRules network =
                DeviceRules.parse(List.of("Character devices:", "231 infiniband_verbs", ""));
        String given = DeviceFile.number("/dev/null");

        assertThat(given).isEqualTo("c 1:3");
        assertThat(network.allowing(List.of())).contains("c 231:* rw");
        assertThat(
                        network.guarding(Set.of("c 231:192", given))
                                .allowing(List.of(), List.of("c 231:192")))
                .contains("c 231:192 rw")
                .doesNotContain("c 231:* rw");
        assertThatThrownBy(() -> DeviceFile.number("/etc/passwd"))
                .hasMessage("/etc/passwd is no device file");
    }
}
