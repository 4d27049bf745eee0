package io.berth.agent.nvml;

import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Machines for [NvmlStub]. In all of them the minor numbers run against the indices.
public final class Topologies {

    private static final String DRIVER = "driver 550.54.15 12040\n";

    private Topologies() {}

    /// Eight A100 of 40 GB, twelve NVLinks each, two to each of six switches.
    public static String dgxA100() {
        return DRIVER
                + gpus(8, "mem=40960 cc=8.0 power=400 ecc=1", "NVIDIA A100-SXM4-40GB")
                + switched(8, 6, 2)
                + ancestors(8, 50);
    }

    /// Eight H100, eighteen NVLinks each over four switches, in a fabric of this machine alone.
    public static String hgxH100() {
        return DRIVER
                + gpus(8, "mem=81559 cc=9.0 power=700 ecc=1 fabricstate=3", "NVIDIA H100 80GB HBM3")
                + IntStream.range(0, 8)
                        .mapToObj(gpu ->
                                IntStream.range(0, 18)
                                        .mapToObj(link -> link(gpu, link, bus(0xa0 + link % 4)))
                                        .collect(Collectors.joining()))
                        .collect(Collectors.joining())
                + ancestors(8, 50);
    }

    /// Four L40S on PCI alone: two behind a bridge, the others farther and farther.
    public static String l40s() {
        return DRIVER
                + gpus(4, "mem=46068 cc=8.9 power=350 ecc=1", "NVIDIA L40S")
                + "anc 0 1 10\nanc 0 2 30\nanc 0 3 50\nanc 1 2 40\nanc 1 3 50\nanc 2 3 20\n";
    }

    /// The hybrid cube mesh of eight V100: six links each, one or two to a neighbour.
    public static String dgx1() {
        int[][] pairs = {
            {0, 1, 1}, {0, 2, 1}, {0, 3, 2}, {0, 4, 2}, {1, 2, 2}, {1, 3, 1}, {1, 5, 2}, {2, 3, 2},
            {2, 6, 1}, {3, 7, 1}, {4, 5, 1}, {4, 6, 1}, {4, 7, 2}, {5, 6, 2}, {5, 7, 1}, {6, 7, 2}
        };
        var text = new StringBuilder(DRIVER);
        text.append(gpus(8, "mem=32768 cc=7.0 power=300 ecc=1", "Tesla V100-SXM2-32GB"));
        int[] used = new int[8];
        for (int[] pair : pairs) {
            for (int i = 0; i < pair[2]; i++) {
                text.append(link(pair[0], used[pair[0]]++, bus(pair[1])));
                text.append(link(pair[1], used[pair[1]]++, bus(pair[0])));
            }
        }
        return text.append(ancestors(8, 50)).toString();
    }

    /// Two A100, the second split into a half and two sevenths.
    public static String splitA100() {
        return DRIVER
                + gpus(2, "mem=40960 cc=8.0 power=400 ecc=1", "NVIDIA A100-SXM4-40GB")
                + "gpu 1 mig=1\n"
                + "mig 1 0 uuid=MIG-aaaa gi=2 ci=0 mem=19968 start=4 name=NVIDIA A100-SXM4-40GB MIG 3g.20gb\n"
                + "mig 1 1 uuid=MIG-bbbb gi=9 ci=0 mem=4864 start=0 name=NVIDIA A100-SXM4-40GB MIG 1g.5gb\n"
                + "mig 1 3 uuid=MIG-cccc gi=10 ci=0 mem=4864 start=2 name=NVIDIA A100-SXM4-40GB MIG 1g.5gb\n"
                + ancestors(2, 50);
    }

    /// The driver's `mig-minors`: which capability devices open the instances of two GPUs.
    public static String migMinors() {
        var text = new StringBuilder("config 1\nmonitor 2\n");
        int number = 3;
        for (int gpu = 0; gpu < 2; gpu++) {
            for (int instance = 0; instance < 15; instance++) {
                String name = "gpu%d/gi%d/".formatted(gpu, instance);
                text.append("%saccess %d\n".formatted(name, number++));
                for (int compute = 0; compute < 8; compute++) {
                    text.append("%sci%d/access %d\n".formatted(name, compute, number++));
                }
            }
        }
        return text.toString();
    }

    /// A tray of an NVL72: four GPUs of one clique of a fabric that spans the rack.
    public static String nvl72Tray() {
        return DRIVER
                + gpus(
                        4,
                        "mem=189471 cc=10.0 power=1200 ecc=1"
                                + " fabric=8d2c1b7e01234567890abcdefedcba98/3",
                        "NVIDIA GB200")
                + switched(4, 9, 2)
                + ancestors(4, 50);
    }

    static String bus(int number) {
        return "00000000:%02X:00.0".formatted(number);
    }

    private static String gpus(int count, String hardware, String name) {
        return IntStream.range(0, count)
                .mapToObj(index ->
                        "gpu %d minor=%d uuid=GPU-%d bus=%s numa=%d cpus=%s serial=15%d %s name=%s\n"
                                .formatted(
                                        index,
                                        count - 1 - index,
                                        index,
                                        bus(index),
                                        index * 2 / count,
                                        index * 2 / count == 0 ? "3" : "c",
                                        index,
                                        hardware,
                                        name))
                .collect(Collectors.joining());
    }

    private static String switched(int gpus, int switches, int linksToEach) {
        return IntStream.range(0, gpus)
                .mapToObj(gpu ->
                        IntStream.range(0, switches * linksToEach)
                                .mapToObj(link -> link(gpu, link, bus(0xc0 + link % switches)))
                                .collect(Collectors.joining()))
                .collect(Collectors.joining());
    }

    private static String link(int gpu, int link, String busId) {
        return "link %d %d %s\n".formatted(gpu, link, busId.toLowerCase(Locale.ROOT));
    }

    private static String ancestors(int count, int level) {
        var text = new StringBuilder();
        for (int one = 0; one < count; one++) {
            for (int other = one + 1; other < count; other++) {
                text.append("anc %d %d %d\n".formatted(one, other, level));
            }
        }
        return text.toString();
    }
}
