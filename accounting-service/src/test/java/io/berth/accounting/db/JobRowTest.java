package io.berth.accounting.db;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Allocation;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JobRowTest {

    /// A job that has its two nodes alone has all CPUs of them, and asked for two.
    @Test
    void what_a_job_asked_for_is_kept_when_it_is_given_more() {
        JobRow row = JobRow.of(new JobId(7), description(2), 1000);
        row.lease = 1;
        row.give(List.of(allocation("n1"), allocation("n2")));
        row.describe(description(2));

        assertThat(row.cpus).isEqualTo(16);
        assertThat(row.memoryMib).isEqualTo(8192);
        assertThat(row.requested)
                .isEqualTo(Map.of("cpu", 2L, "gres/gpu", 2L, "mem", 2048L, "node", 2L));
    }

    @Test
    void all_partitions_in_which_a_job_may_start_are_kept() {
        JobDescription one = description(1);

        assertThat(JobRow.of(new JobId(7), one, 1000).partitions).isNull();
        assertThat(JobRow.of(new JobId(7), one.inAnyOf(List.of("cpu", "batch")), 1000).partitions)
                .isEqualTo(",cpu,batch,");
    }

    private static JobDescription description(int nodes) {
        return new JobDescription(
                "alice",
                "team",
                "batch",
                "normal",
                "job",
                new ResourceRequest(
                        nodes, nodes, 1, MemoryRequest.perNode(1024), new GpuRequest(1, null)),
                LaunchMode.BATCH,
                600,
                0,
                true);
    }

    private static Allocation allocation(String node) {
        var cpus = new BitSet();
        cpus.set(0, 8);
        return new Allocation(
                new NodeName(node), 0, 1, IndexSet.of(cpus), 4096, List.of(), null, List.of());
    }
}
