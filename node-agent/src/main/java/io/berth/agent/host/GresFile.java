package io.berth.agent.host;

import io.berth.contracts.Gres;
import io.berth.slurm.GresConf;
import io.berth.slurm.GresConf.GpuLine;
import io.berth.slurm.SlurmConf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/// What a gres.conf on the host says of its resources, read and checked.
public final class GresFile {

    private GresFile() {}

    /// @param file in Slurm's form, or in YAML if it is called so
    /// @param node the host's node name
    /// @throws StartRefused if the file is not there or wrong, or a device file that it names for
    ///   other than GPUs is none, or is named twice, be it under two paths
    public static GresConf read(Path file, String node) {
        try {
            String text = Files.readString(file);
            GresConf conf =
                    GresConf.of(
                            file.toString().matches(".*\\.ya?ml")
                                    ? GresYaml.parse(file.toString(), text)
                                    : SlurmConf.parse(file.toString(), text),
                            node);
            var named = new HashSet<String>();
            for (String device :
                    conf.others().stream()
                            .flatMap(it -> it.files().stream())
                            .flatMap(it -> conf.filesOf(it).stream())
                            .toList()) {
                if (!named.add(DeviceFile.number(device))) {
                    throw refused(device + " is named twice in " + file);
                }
            }
            for (GpuLine line : conf.gpus()) {
                for (String device : line.besides()) {
                    if (!named.add(DeviceFile.number(device))) {
                        throw refused(device + " is named twice in " + file);
                    }
                }
            }
            return conf;
        } catch (NoSuchFileException e) {
            throw refused("there is no file " + file);
        } catch (IOException | IllegalArgumentException e) {
            throw refused(String.valueOf(e.getMessage()));
        }
    }

    /// The refusal of a file that is wrong, or at odds with the machine.
    public static StartRefused refused(String why) {
        return new StartRefused("berth.agent.gres-conf: " + why);
    }

    /// Those of a node's resources all of whose device files are there now, and those without any.
    ///
    /// @param conf says which have several
    public static List<Gres> present(List<Gres> gres, GresConf conf) {
        var present = new ArrayList<Gres>();
        for (Gres one : gres) {
            List<String> files =
                    one.files().stream()
                            .filter(it -> conf.filesOf(it).stream().allMatch(GresFile::isDevice))
                            .toList();
            if (one.files().isEmpty()) {
                present.add(one);
            } else if (!files.isEmpty()) {
                present.add(new Gres(one.name(), one.type(), files.size(), files));
            }
        }
        return present;
    }

    /// Which of the device files that a run was given cannot be had, if one cannot.
    ///
    /// @param has what the node gives out
    public static Optional<String> lost(List<Gres> held, List<Gres> has, GresConf conf) {
        return held.stream()
                .flatMap(it -> it.files().stream())
                .filter(file -> has.stream().noneMatch(it -> it.files().contains(file)))
                .findFirst()
                .or(() ->
                        held.stream()
                                .flatMap(it -> it.files().stream())
                                .flatMap(it -> conf.filesOf(it).stream())
                                .filter(file -> !isDevice(file))
                                .findFirst());
    }

    private static boolean isDevice(String file) {
        try {
            return !DeviceFile.number(file).isEmpty();
        } catch (IOException e) {
            return false;
        }
    }
}
