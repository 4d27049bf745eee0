package io.berth.agent.amd;

import io.berth.agent.host.SystemFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// One GPU's files, by which its driver tells what it measures. What a file does not tell, or tells
/// and cannot be, is not known. Which files there are is looked up once.
///
/// Source: Linux, "GPU Power/Thermal Controls and Monitoring" (`gpu/amdgpu/thermal`), "Misc AMDGPU
/// driver information" (`gpu/amdgpu/driver-misc`, the memory's files), "AMDGPU RAS Support"
/// (`gpu/amdgpu/ras`), "Naming and data format standards for sysfs files" (`hwmon/sysfs-interface`)
/// and `power/runtime_status` in `ABI/testing/sysfs-devices-power`.
final class AmdCard {

    /// EIO, ENODEV, ETIME and EREMOTEIO: the GPU, or its controller, does not answer the driver.
    private static final Set<String> UNANSWERED =
            Set.of("Input/output error", "No such device", "Timer expired", "Remote I/O error");

    private static final List<String> TEMPERATURES = List.of("edge", "junction");
    private static final String CORE_CLOCK = "sclk";
    private static final String MEMORY_CLOCK = "mclk";
    private static final String ERROR_COUNT = "_err_count";

    /// The level that is in force: `1: 2100Mhz *`.
    private static final Pattern LEVEL = Pattern.compile("\\S+:\\s*([0-9]{1,6})Mhz\\s*\\*");

    private static final long MOST_PERCENT = 100;
    private static final long MOST_MILLIDEGREES = 200_000;

    /// More is an error's number, which some kernels print as one without sign.
    private static final long MOST_MICROWATTS = 4_000_000_000L;

    private static final long MOST_HERTZ = 100_000_000_000L;
    private static final long HERTZ_OF_MHZ = 1_000_000;

    /// Where the driver's table of metrics says what it is.
    private static final int SIZE_AT = 0;

    private static final int FORMAT_AT = 2;
    private static final int CONTENT_AT = 3;

    /// Of the one layout of revision 1.6 that tells of partitions; another had the same number.
    private static final int SIZE_WITH_PARTITIONS = 1664;

    /// The table's energy is in units of 2^-16 J.
    private static final int JOULE_BITS = 16;

    /// What a GPU measures at a moment.
    ///
    /// @param silence why it does not answer, in one line; null if it does
    record Measured(
            @Nullable Integer use,
            @Nullable Long memoryUsedMib,
            @Nullable Long milliwatts,
            @Nullable Long millijoules,
            @Nullable Integer celsius,
            @Nullable Integer coreMhz,
            @Nullable Integer memoryMhz,
            @Nullable String silence) {

        /// By a GPU that sleeps.
        static final Measured ASLEEP = new Measured(0, null, null, null, null, null, null, null);

        /// By a part of a GPU.
        static Measured part(@Nullable Long memoryUsedMib) {
            return new Measured(null, memoryUsedMib, null, null, null, null, null, null);
        }
    }

    /// Errors since the driver was loaded.
    record Errors(long uncorrectable, long corrected) {}

    private final SystemFiles files;
    private final String device;
    private final @Nullable String power;
    private final @Nullable String temperature;
    private final @Nullable String coreClock;
    private final @Nullable String memoryClock;
    private final @Nullable String energy;
    private final List<String> blocks;

    /// Of what is read now.
    private boolean answered;

    private @Nullable String silence;

    /// @param busId its PCI address
    AmdCard(SystemFiles files, String busId) {
        this.files = files;
        this.device = folder(busId);
        String monitors = device + "/hwmon";
        String monitor =
                files.names(monitors).stream()
                        .findFirst()
                        .map(it -> monitors + "/" + it)
                        .orElse(monitors);
        Map<String, String> labelled = labelled(monitor);
        this.power = first(monitor, "power1_average", "power1_input");
        this.temperature =
                TEMPERATURES.stream()
                        .map(labelled::get)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(first(monitor, "temp1_input"));
        this.coreClock = labelled.get(CORE_CLOCK);
        this.memoryClock = labelled.get(MEMORY_CLOCK);
        this.energy = first(monitor, "energy1_input");
        this.blocks =
                files.names(device + "/ras").stream()
                        .filter(name -> name.endsWith(ERROR_COUNT))
                        .map(name -> name.substring(0, name.length() - ERROR_COUNT.length()))
                        .toList();
    }

    /// The folder of the device at that PCI address.
    static String folder(String busId) {
        return SystemFiles.PCI + "/" + busId;
    }

    /// By label, the file that has one.
    private Map<String, String> labelled(String monitor) {
        var inputs = new TreeMap<String, String>();
        for (String name : files.names(monitor)) {
            if (name.endsWith("_label")) {
                String input = monitor + "/" + name.replace("_label", "_input");
                files.text(monitor + "/" + name).ifPresent(label -> inputs.put(label, input));
            }
        }
        return inputs;
    }

    private @Nullable String first(String folder, String... names) {
        for (String name : names) {
            if (files.exists(folder + "/" + name)) {
                return folder + "/" + name;
            }
        }
        return null;
    }

    /// Whether it sleeps, and would be woken by who reads what it measures.
    boolean asleep() {
        return files.text(device + "/power/runtime_status").filter("suspended"::equals).isPresent();
    }

    /// What it measures now.
    Measured measured() {
        answered = false;
        silence = null;
        Long use = asked(device + "/gpu_busy_percent", 0, MOST_PERCENT);
        Long microwatts = asked(power, 1, MOST_MICROWATTS);
        Long millidegrees = asked(temperature, 1, MOST_MILLIDEGREES);
        Integer coreMhz = mhz(coreClock, "/pp_dpm_sclk");
        Integer memoryMhz = mhz(memoryClock, "/pp_dpm_mclk");
        return new Measured(
                use == null ? null : use.intValue(),
                memoryUsedMib(),
                microwatts == null ? null : microwatts / 1000,
                millijoules().filter(it -> it > 0).orElse(null),
                millidegrees == null ? null : Math.toIntExact(millidegrees / 1000),
                coreMhz,
                memoryMhz,
                answered ? null : silence);
    }

    private @Nullable Long memoryUsedMib() {
        Optional<Long> all = SystemFiles.number(files.text(device + "/mem_info_vram_total"));
        return SystemFiles.number(files.text(device + "/mem_info_vram_used"))
                .filter(used -> used >= 0 && (all.isEmpty() || used <= all.get()))
                .map(used -> used >> 20)
                .orElse(null);
    }

    private @Nullable Integer mhz(@Nullable String hertz, String levels) {
        Long told = asked(hertz, 0, MOST_HERTZ);
        if (told != null) {
            return Math.toIntExact(told / HERTZ_OF_MHZ);
        }
        return asked(device + levels)
                .map(LEVEL::matcher)
                .filter(Matcher::find)
                .map(level -> Integer.valueOf(level.group(1)))
                .orElse(null);
    }

    /// A number that the driver asks the GPU for; null if it is not one of these.
    private @Nullable Long asked(@Nullable String path, long least, long most) {
        return path == null
                ? null
                : SystemFiles.number(asked(path))
                        .filter(number -> number >= least && number <= most)
                        .orElse(null);
    }

    private Optional<String> asked(String path) {
        try {
            String text = files.read(path);
            answered = true;
            return Optional.of(text);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            String why =
                    e instanceof FileSystemException error ? error.getReason() : e.getMessage();
            if (why != null && UNANSWERED.contains(why)) {
                silence = path + ": " + why;
            }
            return Optional.empty();
        }
    }

    /// The energy that it has taken, in millijoules. 0 is of one that does not count, or of which
    /// another counts: of two dies the first does, for both.
    Optional<Long> millijoules() {
        return energy == null
                ? accumulated(files.bytes(device + "/gpu_metrics"))
                : SystemFiles.number(files.text(energy)).filter(it -> it >= 0).map(it -> it / 1000);
    }

    /// Of the driver's table of metrics, as far as its layout is known. AMD's own library takes the
    /// counter of all layouts to be in one unit.
    ///
    /// Source: Linux, `kgd_pp_interface.h`, `struct gpu_metrics_v1_1` to `v1_8`; AMD SMI,
    /// `amdsmi_get_energy_count`.
    private static Optional<Long> accumulated(byte[] table) {
        if (table.length <= CONTENT_AT || table[FORMAT_AT] != 1) {
            return Optional.empty();
        }
        ByteBuffer fields = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN);
        int at =
                switch (table[CONTENT_AT]) {
                    case 1, 2, 3, 4, 7, 8 -> 24;
                    case 5 -> 88;
                    case 6 -> fields.getShort(SIZE_AT) == SIZE_WITH_PARTITIONS ? 16 : 88;
                    default -> table.length;
                };
        if (at + Long.BYTES > table.length) {
            return Optional.empty();
        }
        long units = fields.getLong(at);
        return units >= 0 && units <= Long.MAX_VALUE / 1000
                ? Optional.of((units * 1000) >> JOULE_BITS)
                : Optional.empty();
    }

    /// The errors of each of its blocks; of none that does not tell now, as while it is reset.
    Map<String, Errors> errors() {
        var told = new TreeMap<String, Errors>();
        for (String block : blocks) {
            var counts = new TreeMap<String, Long>();
            for (String line : files.lines(device + "/ras/" + block + ERROR_COUNT)) {
                String[] words = line.split(":", 2);
                if (words.length == 2) {
                    SystemFiles.number(Optional.of(words[1].strip()))
                            .ifPresent(count -> counts.put(words[0].strip(), count));
                }
            }
            Long uncorrectable = counts.get("ue");
            Long corrected = counts.get("ce");
            if (uncorrectable != null && corrected != null) {
                told.put(block, new Errors(uncorrectable, corrected));
            }
        }
        return told;
    }

    /// The errors of all its blocks; nothing if not all of them tell.
    Optional<Errors> sum(Map<String, Errors> told) {
        return blocks.isEmpty() || told.size() < blocks.size()
                ? Optional.empty()
                : told.values().stream()
                        .reduce((one, other) ->
                                new Errors(
                                        one.uncorrectable() + other.uncorrectable(),
                                        one.corrected() + other.corrected()));
    }
}
