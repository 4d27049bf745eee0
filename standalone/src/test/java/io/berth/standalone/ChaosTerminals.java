package io.berth.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// People at terminals, who notice nothing of what is hit but that it takes longer.
final class ChaosTerminals {

    private static final int LINES = 40;

    /// What is typed comes back, line by line.
    private static final String TYPED =
            "i=0; while [ $i -lt %d ]; do i=$((i+1)); echo $i; sleep 1; done | \"$0\" srun -Q cat >\"$1\""
                    .formatted(LINES);

    /// One step after the other.
    private static final String HELD =
            "\"$0\" salloc -Q sh -c 'i=0; while [ $i -lt %d ]; do i=$((i+5)); \"$0\" srun -Q sh -c \"sleep 5; seq $((i-4)) $i\" || exit; done' \"$0\" >\"$1\""
                    .formatted(LINES);

    private final TestMesh mesh;
    private final Duration patience;
    private final List<Path> outputs = new ArrayList<>();
    private final List<CompletableFuture<TestMesh.Outcome>> runs = new ArrayList<>();

    ChaosTerminals(TestMesh mesh, Duration patience) {
        this.mesh = mesh;
        this.patience = patience;
    }

    /// Two of each kind, which have all begun then.
    void begin() throws IOException {
        for (String script : List.of(TYPED, HELD, TYPED, HELD)) {
            Path output = Files.createTempFile(mesh.work(), "terminal", "");
            outputs.add(output);
            runs.add(
                    CompletableFuture.supplyAsync(
                            () -> run(script, output), Thread::startVirtualThread));
        }
        await().atMost(patience)
                .until(() -> outputs.stream().noneMatch(it -> it.toFile().length() == 0));
    }

    private TestMesh.Outcome run(String script, Path output) {
        String berth = TestMesh.ROOT.resolve("berth").toString();
        try {
            return mesh.run(List.of("sh", "-c", script, berth, output.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Each line is there, once.
    void assertUndisturbed() throws Exception {
        String all =
                IntStream.rangeClosed(1, LINES)
                        .mapToObj(it -> it + "\n")
                        .collect(Collectors.joining());
        for (int i = 0; i < runs.size(); i++) {
            TestMesh.Outcome outcome = runs.get(i).get(patience.toSeconds(), TimeUnit.SECONDS);
            assertThat(outcome.status()).as(outcome.err()).isZero();
            assertThat(outputs.get(i)).as(outcome.err()).hasContent(all);
        }
    }
}
