package io.berth.agent.amd;

import io.berth.agent.gpu.ProcessMemory;
import io.berth.agent.host.AmdGpus.Device;
import io.berth.agent.host.SystemFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The processes that compute on AMD's GPUs, as the compute driver tells of them: each has a file
/// for every GPU that it may use, and is on those where it has memory or a queue. Who only draws is
/// not among them. None of these files wakes a GPU.
///
/// Source: Linux, the driver's `kfd_process.c`: `proc/<pid>/vram_<gpuid>`,
/// `proc/<pid>/queues/<queue>/gpuid`.
record KfdProcesses(SystemFiles files) {

    private static final String PROCESSES = "/sys/class/kfd/kfd/proc";

    List<ProcessMemory> on(Device gpu) {
        var on = new ArrayList<ProcessMemory>();
        for (String name : files.names(PROCESSES)) {
            if (name.matches("[0-9]{1,9}")) {
                String process = PROCESSES + "/" + name;
                Optional<Long> bytes =
                        SystemFiles.number(files.text(process + "/vram_" + gpu.gpuId()));
                if (bytes.orElse(0L) > 0 || hasQueue(process, gpu)) {
                    on.add(
                            new ProcessMemory(
                                    gpu.uuid(),
                                    Long.parseLong(name),
                                    bytes.map(it -> it >> 20).orElse(null)));
                }
            }
        }
        return on;
    }

    private boolean hasQueue(String process, Device gpu) {
        String queues = process + "/queues";
        return files.names(queues).stream()
                .anyMatch(queue ->
                        files.text(queues + "/" + queue + "/gpuid")
                                .filter(gpu.gpuId()::equals)
                                .isPresent());
    }
}
