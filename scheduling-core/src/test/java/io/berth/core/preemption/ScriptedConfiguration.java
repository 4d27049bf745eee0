package io.berth.core.preemption;

import io.berth.contracts.Limits;
import io.berth.contracts.PreemptMode;
import io.berth.contracts.Tres;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.config.ConfigurationAssembler;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PreemptRules;
import io.berth.contracts.event.QosRules;
import io.berth.contracts.event.Terms;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// A configuration as the first lines of a case tell it.
final class ScriptedConfiguration {

    private final List<Function<Part, ConfigEntry>> entries = new ArrayList<>();
    private PreemptRules rules = PreemptRules.NONE;

    /// Whether the line is one of configuration.
    boolean takes(String verb, Words words) {
        switch (verb) {
            case "preempt" -> rules = rules(words);
            case "partition" -> entries.add(partition(words));
            case "qos" -> entries.add(qos(words));
            case "switch" -> entries.add(leaf(words));
            case "account" -> entries.add(account(words));
            default -> {
                return false;
            }
        }
        return true;
    }

    Configuration whole() {
        PreemptRules stated = rules;
        entries.addFirst(part ->
                new ConfigEntry.Cluster(
                        part,
                        "test",
                        "default",
                        "normal",
                        0,
                        604_800,
                        false,
                        new ConfigEntry.Weights(0, 0, 0, 0, 0),
                        new ConfigEntry.Prices(0, 0, 0, Map.of()),
                        null,
                        stated));
        var assembler = new ConfigurationAssembler();
        Optional<Configuration> whole = Optional.empty();
        for (int i = 0; i < entries.size(); i++) {
            whole = assembler.add(entries.get(i).apply(new Part(2, i + 1, entries.size())));
        }
        return whole.orElseThrow();
    }

    private static PreemptRules rules(Words words) {
        PreemptMode mode = words.mode("mode");
        PreemptMode gpuMode = words.mode("gpuMode");
        String deadline = words.named().get("deadline");
        return new PreemptRules(
                PreemptRules.Type.valueOf(words.text("type").toUpperCase(Locale.ROOT)),
                mode == null ? PreemptMode.OFF : mode,
                words.plain().contains("gang"),
                gpuMode == null ? PreemptMode.REQUEUE : gpuMode,
                words.number("exempt", 0),
                words.plain().contains("youngest"),
                words.number("most", 0),
                words.number("gap", 0),
                words.number("delay", 0),
                words.number("slice", 30),
                deadline == null ? null : Long.valueOf(deadline),
                words.plain().contains("reclaim"));
    }

    private static Function<Part, ConfigEntry> partition(Words words) {
        var rules =
                new PartitionRules(
                        PartitionRules.State.UP,
                        1,
                        words.number("most", 0),
                        0,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        null,
                        words.mode("mode"),
                        words.number("grace", 0),
                        false,
                        null);
        List<String> nodes = List.of(words.named().getOrDefault("nodes", "ALL").split(","));
        return part ->
                new ConfigEntry.Partition(
                        part,
                        words.first(),
                        false,
                        nodes,
                        0,
                        0,
                        0,
                        1,
                        words.number("tier", 1),
                        16,
                        rules);
    }

    private static Function<Part, ConfigEntry> qos(Words words) {
        String preempt = words.named().get("preempt");
        String exempt = words.named().get("exempt");
        var rules =
                new QosRules(
                        "",
                        List.of(),
                        1000,
                        words.number("grace", 0),
                        preempt == null ? List.of() : List.of(preempt.split(",")),
                        words.mode("mode"),
                        Limits.NONE,
                        exempt == null ? null : Long.valueOf(exempt));
        return part -> new ConfigEntry.Qos(part, words.first(), words.number("priority", 0), rules);
    }

    private static Function<Part, ConfigEntry> account(Words words) {
        String guarantee = words.named().get("guarantee");
        var terms =
                new Terms(
                        null,
                        List.of(),
                        0,
                        Limits.NONE,
                        Map.of(),
                        guarantee == null ? Map.of() : Tres.parse(guarantee));
        String parent = words.named().get("parent");
        return part -> new ConfigEntry.Account(part, words.first(), parent, 1, terms, null);
    }

    private static Function<Part, ConfigEntry> leaf(Words words) {
        List<String> nodes = List.of(words.text("nodes").split(","));
        return part -> new ConfigEntry.Switch(part, words.first(), nodes, List.of());
    }
}
