package io.berth.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.berth.agent.host.StartRefused;
import io.berth.agent.host.SystemFiles;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware;
import io.berth.contracts.GpuLinks;
import io.berth.contracts.Hardware;
import io.berth.contracts.Hardware.GpuDriver;
import io.berth.contracts.Hardware.NumaNode;
import io.berth.contracts.Hardware.OutOfService;
import io.berth.contracts.Inventory;
import io.berth.contracts.MigGpu;
import io.berth.contracts.MigPlacement;
import io.berth.contracts.json.Json;
import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.ConfigValidationException;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// `berth node inventory`: what an agent with the same settings would publish of this host, without
/// a mesh. Isolation is not in it: that is verified when an agent starts.
final class InventoryCommand {

    private static final String USAGE = "usage: berth node inventory [--json] [--gres-conf=FILE]";

    private static final String JSON = "--json";
    private static final String GRES_CONF = "--gres-conf=";

    /// Above those of the environment and of system properties.
    private static final int ARGUMENTS_ORDINAL = 500;

    private static final int CONVERTER_PRIORITY = 200;

    private final PrintStream out;

    private InventoryCommand(PrintStream out) {
        this.out = out;
    }

    /// @param arguments what follows `inventory`
    /// @return the exit status: 2 for arguments that are not understood and settings that cannot
    ///   be, 1 if the host is not readable
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        return run(arguments, Map.of(), out, err);
    }

    /// @param settings that outrank those of the environment
    static int run(
            List<String> arguments,
            Map<String, String> settings,
            PrintStream out,
            PrintStream err) {
        List<String> others =
                arguments.stream()
                        .filter(it -> !it.equals(JSON) && !it.startsWith(GRES_CONF))
                        .toList();
        if (!others.isEmpty()) {
            err.println("berth: node inventory does not know " + others);
            err.println(USAGE);
            return 2;
        }
        var all = new HashMap<>(settings);
        arguments.stream()
                .filter(it -> it.startsWith(GRES_CONF))
                .forEach(it -> all.put("berth.agent.gres-conf", it.substring(GRES_CONF.length())));
        try {
            AgentConfig config = config(all);
            HostInventory found = HostInventory.read(SystemFiles.HERE, config);
            found.gres()
                    .unheeded()
                    .forEach(it -> err.println("berth: warning: it means nothing here: " + it));
            Inventory inventory = found.node(config).inventory();
            if (arguments.contains(JSON)) {
                out.println(json(inventory));
            } else {
                new InventoryCommand(out).print(found.name(config), inventory);
            }
            return 0;
        } catch (StartRefused | ConfigValidationException e) {
            err.println("berth: " + String.valueOf(e.getMessage()).replaceAll("\\s*\\R\\s*", " "));
            return 2;
        } catch (IOException e) {
            err.println("berth: cannot read this host: " + e.getMessage());
            return 1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 1;
        }
    }

    /// The settings of an agent that was started in this environment.
    private static AgentConfig config(Map<String, String> settings) {
        return new SmallRyeConfigBuilder()
                .addDefaultSources()
                .addDefaultInterceptors()
                .withSources(new PropertiesConfigSource(settings, "arguments", ARGUMENTS_ORDINAL))
                .withDefaultValue("berth.agent.home", "")
                .withConverter(Duration.class, CONVERTER_PRIORITY, new DurationConverter())
                .withMappingIgnore("berth.agent.**")
                .withMapping(AgentConfig.class)
                .build()
                .getConfigMapping(AgentConfig.class);
    }

    private static String json(Inventory inventory) throws JsonProcessingException {
        return Json.mapper().writerWithDefaultPrettyPrinter().writeValueAsString(inventory);
    }

    private void print(String name, Inventory it) {
        out.printf(
                "%s: %d CPUs (sockets %d, cores per socket %d, threads per core %d), %d MiB for jobs, %s, %s%n",
                name,
                it.cpus(),
                it.sockets(),
                it.coresPerSocket(),
                it.threadsPerCore(),
                it.memoryMib(),
                it.os(),
                it.architecture());
        Hardware hardware = it.hardware();
        if (hardware != null) {
            print(hardware);
        }
        if (it.gpus().isEmpty()) {
            out.println("No GPUs");
        } else {
            print(it.gpus());
        }
        GpuLinks links = it.links();
        if (links != null && it.gpus().size() > 1) {
            print(it.gpus(), links);
        }
        for (MigGpu gpu : it.migGpus()) {
            out.printf(
                    "GPU %d of the machine (%s, %s) is in MIG mode, split into %s%n",
                    gpu.index(), gpu.type(), gpu.uuid(), MigPlacement.words(gpu.instances()));
        }
    }

    private void print(Hardware hardware) {
        for (NumaNode node : hardware.numaNodes()) {
            out.printf("NUMA node %d: CPUs %s, %d MiB%n", node.id(), node.cpus(), node.memoryMib());
        }
        hardware.hugePages()
                .forEach(pages ->
                        out.printf("Huge pages: %d of %d KiB%n", pages.count(), pages.sizeKib()));
        out.printf("/tmp: %d MiB%n", hardware.tmpMib());
        if (hardware.imexChannels() != null) {
            out.printf("IMEX channels: %s%n", hardware.imexChannels());
        }
        for (GpuDriver driver : hardware.drivers()) {
            out.printf(
                    "%s driver %s, API %s%s%n",
                    driver.vendor(),
                    word(driver.version()),
                    word(driver.api()),
                    driver.problem() == null ? "" : ": " + driver.problem());
        }
        for (OutOfService gpu : hardware.outOfService()) {
            out.printf(
                    "GPU %d (%s, %s) is %s: %s%n",
                    gpu.index(), word(gpu.uuid()), word(gpu.busId()), gpu.health(), gpu.reason());
        }
    }

    private void print(List<Gpu> gpus) {
        var rows = new ArrayList<List<String>>();
        rows.add(
                List.of(
                        "GPU", "TYPE", "MIB", "MINOR", "BUS", "NUMA", "CPUS", "SM", "WATTS", "ECC",
                        "UUID"));
        for (Gpu gpu : gpus) {
            GpuHardware hardware = gpu.hardware();
            rows.add(
                    Arrays.asList(
                            Integer.toString(gpu.index()),
                            gpu.type(),
                            Long.toString(gpu.memoryMib()),
                            Integer.toString(gpu.minor()),
                            word(hardware == null ? null : hardware.busId()),
                            Integer.toString(gpu.numaNode()),
                            word(hardware == null ? null : hardware.cpus()),
                            word(hardware == null ? null : hardware.computeCapability()),
                            word(hardware == null ? null : hardware.powerLimitWatts()),
                            word(hardware == null ? null : hardware.ecc()),
                            gpu.uuid()));
        }
        table(rows);
    }

    private void print(List<Gpu> gpus, GpuLinks links) {
        var rows = new ArrayList<List<String>>();
        var head = new ArrayList<String>();
        head.add("LINKS");
        gpus.forEach(gpu -> head.add(Integer.toString(gpu.index())));
        rows.add(head);
        for (int place = 0; place < gpus.size(); place++) {
            var row = new ArrayList<String>();
            row.add(Integer.toString(gpus.get(place).index()));
            row.addAll(Arrays.asList(links.rows().get(place).split(" ")));
            rows.add(row);
        }
        table(rows);
    }

    private void table(List<List<String>> rows) {
        var widths = new int[rows.getFirst().size()];
        rows.forEach(row -> {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        });
        for (List<String> row : rows) {
            var line = new StringBuilder();
            for (int column = 0; column < widths.length; column++) {
                line.append(("%-" + (widths[column] + 2) + "s").formatted(row.get(column)));
            }
            out.println(line.toString().stripTrailing());
        }
    }

    private static String word(@Nullable Object value) {
        return value == null ? "-" : value.toString();
    }
}
