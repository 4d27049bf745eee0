package io.berth.accounting.cluster;

import io.berth.contracts.PreemptMode;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.PreemptRules.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The preemption of a cluster file, and the modes that partitions and QOS have of their own.
///
/// Source: slurm.conf(5), "PreemptType", "PreemptMode", "PreemptExemptTime", "PreemptParameters".
final class PreemptionSection {

    private static final String PREFIX = "preempt/";
    private static final String GANG = "GANG";

    private PreemptionSection() {}

    static PreemptRules of(YamlMap map) throws InvalidClusterFile {
        map.only(
                "type",
                "mode",
                "gpuMode",
                "exemptTime",
                "youngestFirst",
                "maxVictims",
                "minGap",
                "requeueDelay",
                "timeSlice",
                "deadline",
                "reclaim");
        List<String> words = words(map, "mode");
        boolean gang = words.remove(GANG);
        PreemptMode mode = mode(map.place("mode"), words);
        Type type = type(map);
        boolean reclaim = map.flag("reclaim");
        if ((type != Type.NONE || reclaim) && mode == null) {
            throw new InvalidClusterFile(
                    map.place("mode"), "is required with a type or reclaim: " + known());
        }
        if (gang && reclaim) {
            throw new InvalidClusterFile(
                    map.place("reclaim"),
                    "what a job has back it would give again in turns: write SUSPEND without GANG");
        }
        if (gang && mode != PreemptMode.SUSPEND) {
            throw new InvalidClusterFile(
                    map.place("mode"), "GANG is for suspended jobs: write SUSPEND,GANG");
        }
        PreemptMode gpuMode = mode(map, "gpuMode");
        if (gpuMode == PreemptMode.SUSPEND) {
            throw new InvalidClusterFile(
                    map.place("gpuMode"),
                    "a suspended job keeps its GPUs: write OFF, CANCEL or REQUEUE");
        }
        long deadline = map.number("deadline", 0);
        int slice = map.number("timeSlice", (int) PreemptRules.NONE.timeSliceSeconds());
        if (slice < 5) {
            throw new InvalidClusterFile(map.place("timeSlice"), "is below 5 seconds");
        }
        return new PreemptRules(
                type,
                mode == null ? PreemptMode.OFF : mode,
                gang,
                gpuMode == null ? PreemptMode.REQUEUE : gpuMode,
                map.seconds("exemptTime", 0),
                map.flag("youngestFirst"),
                map.number("maxVictims", 0),
                map.number("minGap", 0),
                map.number("requeueDelay", 0),
                slice,
                deadline == 0 ? null : (Long) deadline,
                reclaim);
    }

    private static Type type(YamlMap map) throws InvalidClusterFile {
        String text = map.text("type");
        if (text == null) {
            return Type.NONE;
        }
        boolean slurms = text.toLowerCase(Locale.ROOT).startsWith(PREFIX);
        String plain = slurms ? text.substring(PREFIX.length()) : text;
        return YamlMap.choice(map.place("type"), plain, Type.class);
    }

    /// The mode under that key; null if there is none.
    static @Nullable PreemptMode mode(YamlMap map, String key) throws InvalidClusterFile {
        return mode(map.place(key), words(map, key));
    }

    private static List<String> words(YamlMap map, String key) throws InvalidClusterFile {
        var words = new ArrayList<String>();
        String text = map.text(key);
        for (String word : text == null ? new String[0] : text.split(",", -1)) {
            words.add(word.strip().toUpperCase(Locale.ROOT));
        }
        return words;
    }

    private static @Nullable PreemptMode mode(String place, List<String> words)
            throws InvalidClusterFile {
        if (words.isEmpty()) {
            return null;
        }
        String text = String.join(",", words);
        for (PreemptMode mode : PreemptMode.values()) {
            if (mode.name().equals(text)) {
                return mode;
            }
        }
        throw new InvalidClusterFile(place, "'" + text + "' is none of " + known());
    }

    private static String known() {
        return String.join(
                ", ", List.of(PreemptMode.values()).stream().map(PreemptMode::name).toList());
    }
}
