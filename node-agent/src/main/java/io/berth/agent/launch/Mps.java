package io.berth.agent.launch;

import io.berth.agent.host.LocalNode;
import io.berth.contracts.Allocation;
import io.berth.contracts.Gpu;
import io.berth.contracts.GpuHardware.Vendor;
import io.berth.contracts.GpuShare;
import io.berth.contracts.GpuShare.Enforcement;
import io.berth.contracts.GpuSharing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// NVIDIA's Multi-Process Service, which holds a run to its part of a GPU.
///
/// Each run has a control daemon of its own, which its task starts before the script: in the run's
/// group, under its account, with folders in the run's folder. It ends with the group. The limits
/// are the daemon's defaults: a program's own variables can only lower them. Its account can still
/// change them by the daemon's control pipe, or go around the daemon.
///
/// Source: NVIDIA, "Multi-Process Service", sections on environment variables and on provisioning.
///
/// @param control the control daemon's program; empty on a host that has none
public record Mps(Optional<Path> control) {

    static final String PROGRAM = "nvidia-cuda-mps-control";

    /// A host without it.
    public static final Mps NONE = new Mps(Optional.empty());

    private static final String FOLDER = "mps";

    /// The program of that path; else the one of the usual name in the system's folders.
    public static Mps find(Optional<Path> given) {
        if (given.isPresent()) {
            return new Mps(given.map(Path::toAbsolutePath));
        }
        for (String folder : Commands.PATH.split(":")) {
            Path program = Path.of(folder, PROGRAM);
            if (Files.isExecutable(program)) {
                return new Mps(Optional.of(program));
            }
        }
        return NONE;
    }

    /// What will hold a run to its part of a GPU; null if it holds no part.
    public @Nullable Enforcement enforcement(LocalNode node, Allocation here) {
        GpuShare share = here.share();
        if (share == null) {
            return null;
        }
        boolean driven =
                !node.inventory().simulated()
                        && node.inventory().gpus().stream()
                                .filter(gpu -> here.gpus().contains(gpu.uuid()))
                                .allMatch(Mps::nvidia);
        return control.isPresent() && driven && share.sharing() == GpuSharing.MPS
                ? Enforcement.MPS
                : Enforcement.NONE;
    }

    private static boolean nvidia(Gpu gpu) {
        return gpu.hardware() != null && gpu.hardware().vendor() == Vendor.NVIDIA;
    }

    /// The variables of a run that holds a part of a GPU, for its daemon and its programs; none for
    /// another. They stand where nothing enforces them, too.
    Map<String, String> variables(LocalNode node, Allocation here, RunFiles files)
            throws IOException {
        var variables = new TreeMap<String, String>();
        GpuShare share = here.share();
        if (share == null) {
            return variables;
        }
        if (share.sharing() == GpuSharing.SHARD) {
            variables.put("SLURM_SHARDS_ON_NODE", Integer.toString(share.parts()));
            return variables;
        }
        variables.put("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", Integer.toString(share.percent()));
        variables.put("CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", "0=" + share.memoryMib() + "M");
        if (enforcement(node, here) == Enforcement.MPS) {
            String folder = files.job().makePrivate(FOLDER).toString();
            variables.put("CUDA_MPS_PIPE_DIRECTORY", folder);
            variables.put("CUDA_MPS_LOG_DIRECTORY", folder);
        }
        return variables;
    }

    /// The shell text that starts a run's daemon; empty for a run that needs none.
    String start(LocalNode node, Allocation here) throws LaunchRefused {
        if (enforcement(node, here) != Enforcement.MPS) {
            return "";
        }
        return "%s -d || { echo 'the MPS control daemon did not start' >&2; exit 125; }\n"
                .formatted(StartScript.quoted(control.orElseThrow().toString()));
    }

    /// The folder that the run's account must be able to write; empty for a run that needs none.
    Optional<String> folder(LocalNode node, Allocation here) {
        return enforcement(node, here) == Enforcement.MPS ? Optional.of(FOLDER) : Optional.empty();
    }
}
