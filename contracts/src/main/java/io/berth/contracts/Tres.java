package io.berth.contracts;

import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Trackable resources by Slurm's names: `cpu`, `mem` in MiB, `node`, `billing`, `gres/gpu`,
/// `gres/gpu:TYPE`, `gres/mps` and `gres/shard`, and other generic resources as `gres/NAME` and
/// `gres/NAME:TYPE`.
public final class Tres {

    public static final String CPU = "cpu";
    public static final String MEMORY = "mem";
    public static final String NODE = "node";
    public static final String BILLING = "billing";
    public static final String GPU = "gres/gpu";

    /// Hundredths of GPUs that are shared by MPS.
    public static final String MPS = "gres/mps";

    /// Parts of GPUs that are shared without bounds.
    public static final String SHARD = "gres/shard";

    private static final String GRES = "gres/";

    private static final Set<String> PLAIN = Set.of(CPU, MEMORY, NODE, BILLING, GPU, MPS, SHARD);

    private static final Pattern AMOUNT = Pattern.compile("([0-9]{1,12})([KMGT]?)");

    private Tres() {}

    /// GPUs of one type.
    public static String gpu(String type) {
        return GPU + ":" + type;
    }

    /// Whether it counts parts of shared GPUs.
    public static boolean ofParts(String name) {
        return name.equals(MPS) || name.equals(SHARD);
    }

    /// Generic resources other than GPUs, of one type or of all (`nic`, `fpga:xilinx`).
    public static String gres(String kind) {
        return GRES + kind;
    }

    /// Whether it counts a generic resource other than GPUs and their parts.
    public static boolean ofGres(String name) {
        if (!name.startsWith(GRES)) {
            return false;
        }
        String[] words = name.substring(GRES.length()).split(":", 2);
        return Gres.isName(words[0]) && (words.length == 1 || Gres.isType(words[1]));
    }

    public static boolean isName(String name) {
        return PLAIN.contains(name)
                || (name.startsWith(GPU + ":") && Gres.isType(name.substring(GPU.length() + 1)))
                || ofGres(name);
    }

    /// The amounts of a list such as `cpu=64,mem=512G,gres/gpu:a100=8`. Memory without a unit is in
    /// MiB; `-1` takes a resource out of the list.
    ///
    /// @throws IllegalArgumentException naming the item that is wrong and what is allowed
    public static SortedMap<String, Long> parse(String list) {
        SortedMap<String, Long> amounts = new TreeMap<>();
        for (String item : list.split(",", -1)) {
            int equals = item.indexOf('=');
            String name = equals < 0 ? item.strip() : item.substring(0, equals).strip();
            if (equals < 0 || !isName(name)) {
                throw new IllegalArgumentException(
                        "'"
                                + item
                                + "' is no amount of a resource; cpu, mem, node, billing, gres/gpu, gres/gpu:TYPE, gres/mps, gres/shard, gres/NAME and gres/NAME:TYPE are known, as in cpu=64,gres/gpu=8");
            }
            String text = item.substring(equals + 1).strip();
            if (!text.equals("-1")) {
                amounts.put(name, amount(name, text));
            }
        }
        return amounts;
    }

    private static long amount(String name, String text) {
        OptionalLong amount = amount(text, name.equals(MEMORY));
        return amount.orElseThrow(() ->
                new IllegalArgumentException(
                        "'"
                                + text
                                + "' is no amount of "
                                + name
                                + ": a whole number from 0 to 999999999999"
                                + (name.equals(MEMORY) ? ", in MiB or with K, M, G or T" : "")));
    }

    private static OptionalLong amount(String text, boolean memory) {
        var matcher = AMOUNT.matcher(text);
        if (!matcher.matches()) {
            return OptionalLong.empty();
        }
        long number = Long.parseLong(matcher.group(1));
        String unit = matcher.group(2);
        if (unit.isEmpty()) {
            return OptionalLong.of(number);
        }
        if (!memory) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(
                switch (unit) {
                    case "K" -> Math.ceilDiv(number, 1024L);
                    case "M" -> number;
                    case "G" -> number * 1024;
                    default -> number * 1024 * 1024;
                });
    }

    /// As Slurm prints them: `cpu=64,gres/gpu=8,mem=512G`.
    public static String text(Map<String, Long> amounts) {
        return new TreeMap<>(amounts)
                .entrySet().stream()
                        .map(it ->
                                it.getKey()
                                        + "="
                                        + (it.getKey().equals(MEMORY)
                                                ? memory(it.getValue())
                                                : it.getValue()))
                        .collect(Collectors.joining(","));
    }

    private static String memory(long mib) {
        long gib = 1024;
        long tib = gib * 1024;
        if (mib != 0 && mib % tib == 0) {
            return mib / tib + "T";
        }
        return mib != 0 && mib % gib == 0 ? mib / gib + "G" : mib + "M";
    }
}
