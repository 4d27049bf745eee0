package io.berth.slurm;

import io.berth.contracts.GpuRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// GPUs as an option names them: how many, and of which type, or how many of each of several types,
/// if that matters.
///
/// @param count of all types
/// @param types of several types how many of each; null for one, or any
public record GpuSpec(
        int count, @Nullable String type, @Nullable SortedMap<String, Integer> types) {

    private static final String INVALID_GRES = "Invalid generic resource (gres) specification";
    static final String INVALID_TRES =
            "Batch job submission failed: Invalid Trackable RESource (TRES) specification";

    /// GPUs of one type, or of any.
    public GpuSpec(int count, @Nullable String type) {
        this(count, type, null);
    }

    /// The items of `--gres` that speak of whole GPUs: `gpu[:type][:count]` or
    /// `mig:profile[:count]`; null of none.
    static @Nullable GpuSpec ofGres(List<String> items) throws InvalidOption {
        var counts = new ArrayList<String>();
        for (String item : items) {
            int colon = item.indexOf(':');
            counts.add(colon < 0 ? "1" : item.substring(colon + 1));
        }
        return of(counts);
    }

    /// The types as a list says them, `a100:2,v100:1`; null for one, or any.
    public @Nullable String typesText() {
        return types == null
                ? null
                : types.entrySet().stream()
                        .map(it -> it.getKey() + ":" + it.getValue())
                        .collect(Collectors.joining(","));
    }

    /// So many times as many, of each type; no more than an `int` holds.
    GpuSpec times(int factor) {
        if (types == null) {
            return new GpuSpec(count * factor, type);
        }
        var all = new TreeMap<>(types);
        all.replaceAll((_, each) -> each * factor);
        return new GpuSpec(count * factor, null, all);
    }

    /// Whether an item of `--gres` speaks of whole GPUs.
    static boolean speaksOf(String item) {
        return item.equals("gpu") || item.startsWith("gpu:") || isInstance(item);
    }

    /// Whether it is `mig:profile[:count]`.
    private static boolean isInstance(String gres) {
        String[] words = gres.split(":", -1);
        return words[0].equals("mig") && words.length > 1 && GpuRequest.isProfile(words[1]);
    }

    /// The GPUs of `--gpus` and its kin: a list of `[type:]count` or `type`.
    public static @Nullable GpuSpec ofList(String list) throws InvalidOption {
        List<String> items = List.of(list.split(",", -1));
        if (items.contains("")) {
            throw InvalidOption.refused(INVALID_TRES);
        }
        return of(items);
    }

    /// Of several items with the same type the last one counts; of a count of 0 nothing is asked.
    private static @Nullable GpuSpec of(List<String> items) throws InvalidOption {
        var byType = new TreeMap<String, Integer>();
        GpuSpec last = null;
        for (String item : items) {
            GpuSpec one = of(item);
            if (last != null && (last.type == null) != (one.type == null)) {
                throw InvalidOption.refused(
                        "Invalid GRES specification (with and without type identification)");
            }
            if (one.type != null) {
                byType.put(one.type, one.count);
            }
            last = one;
        }
        if (byType.size() < 2) {
            return last;
        }
        byType.values().removeIf(it -> it == 0);
        long sum = byType.values().stream().mapToLong(Integer::longValue).sum();
        if (byType.size() < 2) {
            return new GpuSpec((int) sum, byType.isEmpty() ? null : byType.firstKey());
        }
        for (String type : byType.keySet()) {
            if (new GpuRequest(1, type).ofInstances()) {
                throw InvalidOption.refused(
                        "%s: instances of GPUs (%s) and GPUs of other types are not of one job"
                                .formatted(INVALID_GRES, type));
            }
        }
        if (sum > Integer.MAX_VALUE) {
            throw InvalidOption.refused(INVALID_TRES);
        }
        return new GpuSpec((int) sum, null, byType);
    }

    private static GpuSpec of(String text) throws InvalidOption {
        int colon = text.indexOf(':');
        if (text.isEmpty()
                || text.endsWith(":")
                || text.startsWith(":")
                || colon != text.lastIndexOf(':')) {
            throw InvalidOption.refused(INVALID_GRES);
        }
        boolean profile = colon < 0 && GpuRequest.isProfile(text);
        boolean countOnly = colon < 0 && !profile && Character.isDigit(text.charAt(0));
        boolean typeOnly = colon < 0 && !countOnly;
        String type = countOnly ? null : typeOnly ? text : text.substring(0, colon);
        return new GpuSpec(typeOnly ? 1 : count(text.substring(colon + 1)), type);
    }

    private static int count(String text) throws InvalidOption {
        OptionalLong count = Counts.withUnit(text);
        if (count.isEmpty() || count.getAsLong() > Integer.MAX_VALUE) {
            throw InvalidOption.refused(INVALID_TRES);
        }
        return (int) count.getAsLong();
    }
}
