package io.berth.standalone;

import io.berth.standalone.demo.Demo;
import io.berth.standalone.mesh.CannotStart;
import io.berth.standalone.mesh.TrainingMesh;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;

/// What the `berth` script starts for the mesh itself: `up`, `down`, `status` and `demo`.
public final class Main {

    private Main() {}

    public static void main(String[] arguments) {
        int status;
        try {
            status = run(List.of(arguments));
        } catch (CannotStart e) {
            System.err.println("berth: " + e.getMessage());
            status = 1;
        } catch (FileSystemException e) {
            String why = e.getReason();
            System.err.println(
                    "berth: cannot read or make " + e.getFile() + (why == null ? "" : ": " + why));
            status = 1;
        } catch (IOException | InterruptedException e) {
            System.err.println("berth: " + e);
            status = 1;
        }
        System.exit(status);
    }

    private static int run(List<String> arguments) throws IOException, InterruptedException {
        Path root = Path.of(System.getProperty("berth.root", "."));
        String command = arguments.isEmpty() ? "" : arguments.getFirst();
        List<String> rest =
                arguments.isEmpty() ? List.of() : arguments.subList(1, arguments.size());
        return switch (command) {
            case "up" -> Up.of(root, UpOptions.parse(rest), System.getenv(), System.out).run();
            case "down" -> Down.of(rest, System.getenv(), System.out).run();
            case "status" -> Status.of(rest, System.getenv(), System.out).run();
            case "demo" -> new Demo(root, System.out).run();
            case "train-mesh" -> {
                TrainingMesh.run(root);
                yield 0;
            }
            default -> throw new CannotStart("unknown command '" + command + "'");
        };
    }
}
