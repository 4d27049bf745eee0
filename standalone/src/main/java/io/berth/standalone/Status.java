package io.berth.standalone;

import io.berth.standalone.mesh.CannotStart;
import io.berth.standalone.mesh.HomeLock;
import io.berth.standalone.mesh.MeshHome;
import io.berth.standalone.mesh.MeshStatus;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// `berth status`: each part of the mesh of a home.
record Status(MeshHome home, boolean json, PrintStream out) {

    static Status of(List<String> words, Map<String, String> environment, PrintStream out) {
        @Nullable Path home = null;
        boolean json = false;
        var arguments = new Arguments(words);
        while (!arguments.isEmpty()) {
            String option = arguments.option();
            switch (option) {
                case "--home" -> home = Path.of(arguments.value(option));
                case "--json" -> json = true;
                default -> throw new CannotStart("status does not know " + option);
            }
        }
        return new Status(MeshHome.configured(home, environment), json, out);
    }

    /// The exit status: 0 if all parts are ready, 1 if some are not, 3 if the mesh is not up.
    int run() throws IOException {
        Optional<MeshStatus> found =
                HomeLock.holder(home).isEmpty() ? Optional.empty() : MeshStatus.read(home);
        if (found.isEmpty()) {
            out.println(
                    json ? "{\"ready\":false,\"parts\":[]}" : "berth is not up in " + home.root());
            return 3;
        }
        MeshStatus status = found.get().withMemory();
        out.print(json ? status.toJson() : status.toTable());
        return status.ready() ? 0 : 1;
    }
}
