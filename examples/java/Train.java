import io.berth.client.Berth;
import io.berth.client.Job;
import java.nio.file.Files;
import java.nio.file.Path;

/// Submits a script and waits until it has ended, with its exit code for its own:
/// java -cp 'cli/target/lib/*' examples/java/Train.java train.sh
class Train {
    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 1 || !Files.isReadable(Path.of(arguments[0]))) {
            System.err.println("usage: java Train.java SCRIPT, a file that can be read");
            System.exit(2);
        }
        String script = Files.readString(Path.of(arguments[0]));
        Job done;
        try (Berth mesh = Berth.here()) {
            Job job =
                    mesh.submit(
                            it -> {
                                it.script = script;
                                it.name = "train";
                                it.gpus = 1;
                                it.timeLimitSeconds = 600L;
                                it.workingDirectory = Path.of("").toAbsolutePath().toString();
                            });
            done = mesh.job(job.id()).untilOver();
        }
        System.out.println(done.id() + " " + done.state() + " on " + done.nodes());
        System.exit(done.exitStatus());
    }
}
