package io.berth.agent.group;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A program for the kernel that allows a list of device files and denies all others: what version
/// 1 of the cgroups has a list for, version 2 has a program for.
///
/// For each rule in turn it compares what is opened with the rule, and allows it if all fits. Its
/// input is the kernel's `bpf_cgroup_dev_ctx`: access in the upper and type in the lower half of
/// the first word, then the major and the minor number.
///
/// Source: Linux, `Documentation/bpf/standardization/instruction-set.rst` and
/// `Documentation/admin-guide/cgroup-v2.rst`, "Device controller".
final class DeviceProgram {

    static final int INSTRUCTION_BYTES = 8;

    static final int BLOCK = 1;
    static final int CHARACTER = 2;
    static final int MKNOD = 1;
    static final int READ = 2;
    static final int WRITE = 4;

    private static final Pattern RULE = Pattern.compile("([bc]) ([0-9]+):([0-9]+|\\*) ([rwm]+)");

    private static final int LOAD_WORD = 0x61;
    private static final int MOVE_32 = 0xbc;
    private static final int MOVE_IMMEDIATE = 0xb7;
    private static final int AND_32 = 0x54;
    private static final int SHIFT_RIGHT_32 = 0x74;
    private static final int JUMP_UNLESS_EQUAL = 0x55;
    private static final int JUMP_UNLESS_SAME = 0x5d;
    private static final int EXIT = 0x95;

    private static final int RESULT = 0;
    private static final int CONTEXT = 1;
    private static final int TYPE = 2;
    private static final int ACCESS = 3;
    private static final int MAJOR = 4;
    private static final int MINOR = 5;
    private static final int SCRATCH = 6;

    /// One instruction, but for the length of a jump to the next rule.
    private record Instruction(int code, int to, int from, int offset, int immediate) {}

    private DeviceProgram() {}

    /// The instructions, in the machine's byte order.
    ///
    /// @param rules such as `c 195:0 rw` or `c 136:* rw`
    static byte[] allowing(List<String> rules) {
        var program = new ArrayList<Instruction>();
        program.add(new Instruction(LOAD_WORD, TYPE, CONTEXT, 0, 0));
        program.add(new Instruction(MOVE_32, ACCESS, TYPE, 0, 0));
        program.add(new Instruction(AND_32, TYPE, 0, 0, 0xffff));
        program.add(new Instruction(SHIFT_RIGHT_32, ACCESS, 0, 0, 16));
        program.add(new Instruction(LOAD_WORD, MAJOR, CONTEXT, 4, 0));
        program.add(new Instruction(LOAD_WORD, MINOR, CONTEXT, 8, 0));
        rules.forEach(rule -> program.addAll(rule(rule)));
        program.add(new Instruction(MOVE_IMMEDIATE, RESULT, 0, 0, 0));
        program.add(new Instruction(EXIT, 0, 0, 0, 0));
        return bytes(program);
    }

    private static List<Instruction> rule(String text) {
        Matcher rule = RULE.matcher(text);
        if (!rule.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no rule for a device");
        }
        var tests = new ArrayList<Instruction>();
        int type = rule.group(1).equals("b") ? BLOCK : CHARACTER;
        tests.add(new Instruction(JUMP_UNLESS_EQUAL, TYPE, 0, 0, type));
        tests.add(new Instruction(MOVE_32, SCRATCH, ACCESS, 0, 0));
        tests.add(new Instruction(AND_32, SCRATCH, 0, 0, mask(rule.group(4))));
        tests.add(new Instruction(JUMP_UNLESS_SAME, SCRATCH, ACCESS, 0, 0));
        tests.add(new Instruction(JUMP_UNLESS_EQUAL, MAJOR, 0, 0, Integer.parseInt(rule.group(2))));
        if (!rule.group(3).equals("*")) {
            tests.add(
                    new Instruction(
                            JUMP_UNLESS_EQUAL, MINOR, 0, 0, Integer.parseInt(rule.group(3))));
        }
        var all = new ArrayList<Instruction>();
        for (int place = 0; place < tests.size(); place++) {
            Instruction it = tests.get(place);
            boolean jump = it.code() == JUMP_UNLESS_EQUAL || it.code() == JUMP_UNLESS_SAME;
            // Over the rest of the tests and the two that allow.
            int length = jump ? tests.size() - place - 1 + 2 : 0;
            all.add(new Instruction(it.code(), it.to(), it.from(), length, it.immediate()));
        }
        all.add(new Instruction(MOVE_IMMEDIATE, RESULT, 0, 0, 1));
        all.add(new Instruction(EXIT, 0, 0, 0, 0));
        return all;
    }

    private static int mask(String access) {
        return (access.indexOf('m') >= 0 ? MKNOD : 0)
                | (access.indexOf('r') >= 0 ? READ : 0)
                | (access.indexOf('w') >= 0 ? WRITE : 0);
    }

    private static byte[] bytes(List<Instruction> program) {
        var bytes = ByteBuffer.allocate(program.size() * INSTRUCTION_BYTES);
        bytes.order(ByteOrder.nativeOrder());
        boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        for (Instruction it : program) {
            bytes.put((byte) it.code());
            bytes.put((byte) (little ? it.to() | it.from() << 4 : it.to() << 4 | it.from()));
            bytes.putShort((short) it.offset());
            bytes.putInt(it.immediate());
        }
        return bytes.array();
    }
}
