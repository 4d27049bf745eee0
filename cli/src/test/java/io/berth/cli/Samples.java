package io.berth.cli;

import java.time.Instant;

/// The cluster of the recorded Slurm samples, as the gateway would tell of it.
final class Samples {

    static final String PARTITIONS =
            """
            {"partitions":[
             {"name":"training","default":true,"state":"UP","maxTimeSeconds":604800,"defaultTimeSeconds":86400,
              "maxNodes":0,"tier":1,"jobFactor":1,"totalCpus":1024,"totalNodes":8,"totalGpus":64,
              "nodes":["node01","node02","node03","node04","node05","node06","node07","node08"]},
             {"name":"interactive","default":false,"state":"UP","maxTimeSeconds":14400,"defaultTimeSeconds":3600,
              "maxNodes":1,"tier":2,"jobFactor":1000,"totalCpus":256,"totalNodes":2,"totalGpus":16,
              "nodes":["node01","node02"]}]}
            """;

    private Samples() {}

    static long at(String time) {
        return Instant.parse("2026-11-20T" + time + "Z").toEpochMilli();
    }

    /// The queue of `squeue.txt`, in another order than it is listed.
    static String queue() {
        return "{\"jobs\":["
                + running()
                + ","
                + pending(1016, "j_alice", "alice", "Priority", 4000, 1)
                + ","
                + pending(1017, "j_bob", "bob", "Priority", 4100, 1)
                + ","
                + pending(1018, "j_carol", "carol", "Priority", 4200, 1)
                + ","
                + pending(1023, "dep", "carol", "Dependency", 4200, 1)
                + ","
                + pending(1021, "e_high", "eve", "Resources", 9000, 4)
                + ","
                + pending(1019, "j_dave", "dave", "Priority", 4300, 1)
                + ","
                + pending(1020, "j_eve", "eve", "Priority", 4400, 1)
                + "]}";
    }

    /// Task so and so of array 1030, which is job 1030 and so much.
    static String task(int task) {
        return """
        {"id":%d,"name":"arr","user":"alice","account":"team_a","partition":"training","qos":"normal",
         "state":"PENDING","stateCode":"PD","reason":"Priority","priority":4100,"nice":0,"submittedBy":"alice",
         "submittedAt":%d,"timeLimitSeconds":300,"nodes":1,"nodeList":"","nodeNames":[],
         "tasks":1,"cpusPerTask":1,"cpus":1,"memoryMib":100,"gpus":1,"gpusPerNode":1,
         "launch":"BATCH","requeue":true,"restarts":0,"lease":0,"exitCode":0,"signal":0,"exit":"0:0",
         "simulated":false,"allocations":[],"arrayJob":1030,"arrayTask":%d,"arrayThrottle":2,
         "dependency":"afterok:1015","constraint":"a100","prefer":"nvme","comment":"sweep of rates",
         "plannedStart":%d,"plannedNodes":"node02"}
        """
                .formatted(1030 + task, at("10:00:59"), task, at("10:03:56"));
    }

    /// That a job hardly uses its GPUs, for another of its fields to stand behind.
    static final String LOW_GPU_USE =
            """
            "lowGpuUse":[{"node":"node01","since":%d,"percent":3},
                         {"node":"node02","since":%d,"percent":0}],\
            """
                    .formatted(at("10:01:30"), at("10:02:00"));

    static String running() {
        return """
        {"id":1015,"name":"filler","user":"root","account":"bench","partition":"training","qos":"normal",
         "state":"RUNNING","stateCode":"R","reason":"None","priority":4253,"nice":0,"submittedBy":"root",
         "submittedAt":%d,"startedAt":%d,"timeLimitSeconds":180,"nodes":8,"nodeList":"node[01-08]",
         "nodeNames":["node01","node02","node03","node04","node05","node06","node07","node08"],
         "tasks":8,"cpusPerTask":1,"cpus":1024,"memoryMib":102400,"gpus":64,"gpusPerNode":8,
         "launch":"BATCH","requeue":true,"restarts":0,"lease":1,"exitCode":0,"signal":0,"exit":"0:0",
         "simulated":false,"allocations":[{"node":"node01","index":0,"tasks":1,"cpus":"0-127",
         "memoryMib":12800,"gpus":["GPU-0","GPU-1"],"gpuIndices":"0-1"}],
         "workingDirectory":"/tmp","standardOutput":"/dev/null","standardError":"/dev/null",
         "submitHost":"localhost"}
        """
                .formatted(at("10:00:55"), at("10:00:56"));
    }

    static String pending(
            int id, String name, String user, String reason, int priority, int nodes) {
        return """
        {"id":%d,"name":"%s","user":"%s","account":"team_a","partition":"training","qos":"normal",
         "state":"PENDING","stateCode":"PD","reason":"%s","priority":%d,"nice":0,"submittedAt":%d,
         "timeLimitSeconds":300,"nodes":%d,"nodeList":"","nodeNames":[],"tasks":1,"cpusPerTask":1,
         "cpus":8,"memoryMib":800,"gpus":1,"gpusPerNode":1,"requeue":true,"restarts":0,
         "exitCode":0,"signal":0,"exit":"0:0","simulated":false}
        """
                .formatted(id, name, user, reason, priority, at("10:00:57"), nodes);
    }

    static String ended(int id, String state, String code, int exitCode, int signal) {
        return """
        {"id":%d,"name":"x","user":"alice","state":"%s","stateCode":"%s","reason":"None",
         "exitCode":%d,"signal":%d,"nodeList":"node03","standardOutput":"/nowhere"}
        """
                .formatted(id, state, code, exitCode, signal);
    }

    /// Nodes of 128 CPUs, 512,000 MiB and 8 GPUs, in the states given.
    static String nodes(String... states) {
        var nodes = new StringBuilder();
        for (int i = 0; i < states.length; i++) {
            nodes.append(i == 0 ? "" : ",").append(node(i + 1, states[i]));
        }
        return "{\"nodes\":[" + nodes + "]}";
    }

    static String node(int number, String state) {
        int allocated =
                switch (state) {
                    case "ALLOCATED" -> 128;
                    case "MIXED" -> 64;
                    default -> 0;
                };
        var gpus = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            gpus.append(i == 0 ? "" : ",")
                    .append("{\"index\":" + i + ",\"uuid\":\"GPU-" + i + "\",\"type\":\"a100\"")
                    .append(i < allocated / 16 ? ",\"job\":1015}" : "}");
        }
        return """
        {"name":"node%02d","state":"%s","cpus":128,"cpusAllocated":%d,"memoryMib":512000,
         "memoryAllocatedMib":%d,"gpus":[%s],"gpusAllocated":%d,"partitions":[%s],
         "isolation":["CPUSET","MEMORY"],"simulated":false,"sockets":2,"coresPerSocket":64,
         "threadsPerCore":1,"os":"Linux 6.18","architecture":"x86_64","agentVersion":"22.05.8",
         "loadPercent":769,"memoryUsedMib":495325}
        """
                .formatted(
                        number,
                        state,
                        allocated,
                        allocated * 100,
                        gpus,
                        allocated / 16,
                        number <= 2 ? "\"training\",\"interactive\"" : "\"training\"");
    }

    /// A component of a heterogeneous job of two that waits.
    static String component(long first, int offset) {
        return """
        {"id":%d,"name":"mixed","user":"alice","account":"team_a","partition":"training","qos":"normal",
         "state":"PENDING","stateCode":"PD","reason":"Resources","priority":1,"nodes":1,"tasks":1,"cpus":1,
         "submittedAt":1790000000000,"timeLimitSeconds":60,"launch":"%s",
         "hetJob":%d,"hetOffset":%d,"hetSize":2}
        """
                .formatted(first + offset, offset == 0 ? "BATCH" : "HELD", first, offset);
    }
}
