package io.berth.core.priority;

import io.berth.contracts.ResourceRequest;
import io.berth.contracts.Tres;
import java.util.Map;

/// What a job asks for, by the names of [Tres].
public final class Requested {

    private Requested() {}

    /// How much of that resource the request asks for in all; memory in MiB, 0 where it is all that
    /// a node has. GPUs of no stated type count only as `gres/gpu`.
    public static long amount(ResourceRequest request, String resource) {
        return switch (resource) {
            case Tres.NODE -> request.nodes();
            case Tres.CPU -> request.totalCpus();
            case Tres.GPU -> request.totalGpus();
            case Tres.MEMORY -> memory(request);
            default ->
                    request.gpuTypes().entrySet().stream()
                            .filter(it -> resource.equals(Tres.gpu(it.getKey())))
                            .mapToLong(Map.Entry::getValue)
                            .sum();
        };
    }

    private static long memory(ResourceRequest request) {
        long sum = 0;
        for (int node = 0; node < request.nodes(); node++) {
            sum = Math.addExact(sum, request.memoryMibOn(node, 0));
        }
        return sum;
    }
}
