import io.berth.contracts.Allocation;
import io.berth.contracts.Charge;
import io.berth.contracts.EndedRun;
import io.berth.contracts.ExitStatus;
import io.berth.contracts.GpuRequest;
import io.berth.contracts.IndexSet;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobId;
import io.berth.contracts.JobState;
import io.berth.contracts.LaunchMode;
import io.berth.contracts.MemoryRequest;
import io.berth.contracts.NodeName;
import io.berth.contracts.Reason;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.event.JobEvent;
import io.berth.contracts.topic.Topics;
import io.berth.log.Events;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/// Measures how many events of jobs a second the accounting service enters in the books. It stands still (SIGSTOP) while the events of jobs that nobody submitted are written to the log, four of each: queued, placed, started, ended. The clock runs from SIGCONT until all are in the books.
///
/// `java -cp 'standalone/target/lib/*' benchmarks/BooksIngest.java [jobs]`, default 25,000. For a mesh of its own (BERTH_HOME): its books are of no use afterwards.
class BooksIngest {

    private static final long FIRST_JOB = System.currentTimeMillis() * 1000;

    public static void main(String[] arguments) throws Exception {
        java.util.logging.LogManager.getLogManager().reset();
        int jobs = arguments.length == 0 ? 25_000 : Integer.parseInt(arguments[0]);
        var mesh = RunningMesh.find();
        long accounting = mesh.processes().get("accounting");
        double before = mesh.booked();
        signal("STOP", accounting);
        try {
            write(mesh.kafka(), jobs);
            Thread.sleep(5000);
        } finally {
            signal("CONT", accounting);
        }
        long begin = System.nanoTime();
        while (mesh.booked() - before < 4.0 * jobs) {
            Thread.sleep(100);
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        System.out.printf("%d events of %d jobs in %.1f s: %.0f events a second%n", 4 * jobs, jobs, seconds, 4 * jobs / seconds);
    }

    private static void write(String kafka, int jobs) {
        var events = new Events<>(Topics.JOBS, "benchmark");
        Map<String, Object> settings = Map.of("bootstrap.servers", kafka, "acks", "all", "linger.ms", 20, "batch.size", 1 << 18);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < jobs; i++) {
                int number = 0;
                for (JobEvent event : life(i)) {
                    producer.send(events.record(0, event, "benchmark/" + i + "/" + number++));
                }
            }
        }
    }

    /// Of one of 200 users in 20 accounts.
    private static List<JobEvent> life(int number) {
        var job = new JobId(FIRST_JOB + number);
        long at = System.currentTimeMillis() - 600_000 + number % 1000;
        var request = new ResourceRequest(1, 1, 4, MemoryRequest.perNode(1024), GpuRequest.NONE);
        var description = new JobDescription("user" + number % 200, "team" + number % 20, "batch", "normal", "load", request, LaunchMode.BATCH, 3600, 0, true);
        var allocation = new Allocation(new NodeName("n" + number % 100), 0, 1, IndexSet.parse("0-3"), 1024, List.of());
        var charge = new Charge(4 * 60_000, 1024 * 60_000L, 0, 60_000, 4000 * 60_000L);
        var run = new EndedRun(1, List.of(allocation), at + 10, at + 20, at + 60_010, JobState.COMPLETED, ExitStatus.SUCCESS, charge);
        return List.of(
                new JobEvent.Queued(job, at, description),
                new JobEvent.Placed(job, at + 10, 1, List.of(allocation), 4000),
                new JobEvent.Started(job, at + 20, 1),
                new JobEvent.Ended(job, at + 60_010, description, JobState.COMPLETED, Reason.NONE, ExitStatus.SUCCESS, at, List.of(run), null, null));
    }

    private static void signal(String name, long process) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process)).inheritIO().start().waitFor();
    }
}
