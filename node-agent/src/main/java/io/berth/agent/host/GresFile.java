package io.berth.agent.host;

import io.berth.contracts.Gres;
import io.berth.slurm.GresConf;
import io.berth.slurm.SlurmConf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;

/// The resources other than GPUs that an operator names in a gres.conf on the host.
public final class GresFile {

    private static final String SETTING = "berth.agent.gres-conf: ";

    private GresFile() {}

    /// @param node the host's node name
    /// @throws StartRefused if the file is not there or wrong, or a device file that it names is
    ///   none, or is named twice
    public static List<Gres> read(Path file, String node) {
        try {
            SlurmConf conf = SlurmConf.parse(file.toString(), Files.readString(file));
            List<Gres> gres = GresConf.of(conf, node);
            var named = new HashSet<String>();
            for (String device : gres.stream().flatMap(it -> it.files().stream()).toList()) {
                String unused = DeviceFile.number(device);
                if (!named.add(device)) {
                    throw new StartRefused(SETTING + device + " is named twice in " + file);
                }
            }
            return gres;
        } catch (IOException | IllegalArgumentException e) {
            throw new StartRefused(SETTING + e.getMessage());
        }
    }
}
