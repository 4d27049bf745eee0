package io.berth.agent.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The kernel's program, run by a machine of a dozen lines.
class DeviceProgramTest {

    private static final List<String> RULES =
            List.of("c 1:3 rw", "c 136:* rw", "c 195:3 rw", "c 509:1 r", "b 8:0 rwm");

    /// What the program answers to an access, given as the kernel gives it.
    private static boolean allows(byte[] program, int type, int access, int major, int minor) {
        int[] context = {access << 16 | type, major, minor};
        long[] registers = new long[11];
        var code = ByteBuffer.wrap(program).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; ; at++) {
            int operation = code.get(at * 8) & 0xff;
            int to = code.get(at * 8 + 1) & 0xf;
            int from = code.get(at * 8 + 1) >> 4 & 0xf;
            int offset = code.getShort(at * 8 + 2);
            int immediate = code.getInt(at * 8 + 4);
            switch (operation) {
                case 0x61 -> registers[to] = context[offset / 4] & 0xffffffffL;
                case 0xbc -> registers[to] = registers[from] & 0xffffffffL;
                case 0xb7 -> registers[to] = immediate;
                case 0x54 -> registers[to] = registers[to] & immediate & 0xffffffffL;
                case 0x74 -> registers[to] = (registers[to] & 0xffffffffL) >>> immediate;
                case 0x55 -> at += registers[to] != immediate ? offset : 0;
                case 0x5d -> at += registers[to] != registers[from] ? offset : 0;
                case 0x95 -> {
                    return registers[0] == 1;
                }
                default -> throw new IllegalStateException("operation " + operation);
            }
        }
    }

    @ParameterizedTest(name = "type {0} access {1} device {2}:{3}: {4}")
    @CsvSource({
        "2,2,1,3,true",
        "2,6,1,3,true",
        "2,1,1,3,false",
        "2,7,1,3,false",
        "1,2,1,3,false",
        "2,2,1,5,false",
        "2,2,136,0,true",
        "2,4,136,4711,true",
        "2,6,195,3,true",
        "2,2,195,0,false",
        "2,2,195,255,false",
        "2,2,509,1,true",
        "2,4,509,1,false",
        "2,6,509,1,false",
        "1,7,8,0,true",
        "2,2,259,3,false"
    })
    void it_allows_what_a_rule_names_in_whole_and_denies_all_else(
            int type, int access, int major, int minor, boolean allowed) {
        byte[] program = DeviceProgram.allowing(RULES);

        assertThat(allows(program, type, access, major, minor)).isEqualTo(allowed);
    }

    @Test
    void without_rules_it_denies_everything() {
        assertThat(allows(DeviceProgram.allowing(List.of()), 2, 2, 1, 3)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a *:* rwm", "c 1:3", "c 1:x r", "c 1:3 rx", "c -1:3 r"})
    void other_texts_are_no_rules(String rule) {
        assertThatThrownBy(() -> DeviceProgram.allowing(List.of(rule)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'" + rule + "' is no rule for a device");
    }
}
