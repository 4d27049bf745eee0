package io.berth.agent.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// The files in which a kernel tells of its machine, /proc and /sys, below some root. What cannot
/// be read is not told: files come and go with drivers.
///
/// @param root `/`, or a folder that stands for it
public record SystemFiles(Path root) {

    /// The folder of the PCI bus, with one for each device by its address.
    public static final String PCI = "/sys/bus/pci/devices";

    private static final String DISPLAY = "0x03";
    private static final String ACCELERATOR = "0x12";

    public static final SystemFiles HERE = new SystemFiles(Path.of("/"));

    /// The text of a file, without the blanks around it.
    public Optional<String> text(String path) {
        try {
            return Optional.of(read(path));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// The same, for those whom it matters why a file cannot be read.
    public String read(String path) throws IOException {
        return Files.readString(at(path)).strip();
    }

    /// What is in a file that is no text; nothing if that cannot be read.
    public byte[] bytes(String path) {
        try {
            return Files.readAllBytes(at(path));
        } catch (IOException e) {
            return new byte[0];
        }
    }

    public boolean exists(String path) {
        return Files.exists(at(path));
    }

    /// The name of what a link leads to.
    public Optional<String> target(String link) {
        try {
            return Optional.of(Files.readSymbolicLink(at(link)))
                    .map(Path::getFileName)
                    .map(Path::toString);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    public List<String> lines(String path) {
        return text(path).map(text -> text.lines().toList()).orElse(List.of());
    }

    /// What follows that word and a blank or colon on its line.
    public Optional<String> field(String path, String word) {
        return lines(path).stream()
                .filter(line -> line.matches("\\Q" + word + "\\E[\\s:].*"))
                .map(line -> line.substring(word.length() + 1).strip())
                .findFirst();
    }

    /// The number in a file, or after a word.
    public static Optional<Long> number(Optional<String> text) {
        return text.map(it -> it.split(" ", 2)[0])
                .filter(it -> it.matches("-?[0-9]{1,18}"))
                .map(Long::valueOf);
    }

    /// The names of what is in a folder, in order.
    public List<String> names(String folder) {
        try (Stream<Path> all = Files.list(at(folder))) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /// How many GPUs of a vendor are on the PCI bus, driver or none.
    ///
    /// @param vendorId as the kernel writes it, such as `0x10de`
    public int gpus(String vendorId) {
        return (int)
                names(PCI).stream()
                        .filter(it ->
                                text(PCI + "/" + it + "/vendor").equals(Optional.of(vendorId)))
                        .filter(this::isGpu)
                        .count();
    }

    /// Whether the device of that PCI address is a display or 3D controller, or an accelerator.
    public boolean isGpu(String busId) {
        return text(PCI + "/" + busId + "/class")
                .filter(it -> it.startsWith(DISPLAY) || it.startsWith(ACCELERATOR))
                .isPresent();
    }

    private Path at(String path) {
        return root.resolve(path.substring(1));
    }
}
