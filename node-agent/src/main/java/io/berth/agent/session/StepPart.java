package io.berth.agent.session;

import io.berth.slurm.session.Frame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// What a step runs on one of its nodes: a command, with the variables and the directory that it
/// has where the step was started.
record StepPart(String directory, Map<String, String> environment, List<String> command) {

    private static final int CHUNK_BYTES = 8 << 10;
    private static final long TICK_MILLIS = 100;

    StepPart {
        environment = new TreeMap<>(environment);
        command = List.copyOf(command);
    }

    /// The messages that tell it: `part <base64>` as often as needed, then `run`.
    List<Frame> frames() {
        var texts = new ArrayList<String>();
        texts.add(directory);
        texts.add(Integer.toString(environment.size()));
        environment.forEach((name, value) -> texts.add(name + "=" + value));
        texts.addAll(command);
        byte[] bytes = String.join("\0", texts).getBytes(StandardCharsets.UTF_8);
        var frames = new ArrayList<Frame>();
        for (int from = 0; from < bytes.length; from += CHUNK_BYTES) {
            byte[] chunk =
                    Arrays.copyOfRange(bytes, from, Math.min(from + CHUNK_BYTES, bytes.length));
            frames.add(Frame.control("part " + Base64.getEncoder().encodeToString(chunk)));
        }
        frames.add(Frame.control("run"));
        return frames;
    }

    /// Waits for the messages that tell one.
    ///
    /// @param over done when nobody will send any more
    /// @throws IOException if they are not what they should be
    static StepPart read(BlockingQueue<Frame> frames, Future<?> over)
            throws IOException, InterruptedException {
        var bytes = new ByteArrayOutputStream();
        while (true) {
            List<String> words = next(frames, over).words();
            if (words.getFirst().equals("run")) {
                return parse(bytes.toString(StandardCharsets.UTF_8));
            }
            if (words.size() != 2 || !words.getFirst().equals("part")) {
                throw new IOException("expected a part of a step, not " + words.getFirst());
            }
            bytes.writeBytes(Base64.getDecoder().decode(words.getLast()));
        }
    }

    /// Waits for a message.
    ///
    /// @param over done when nobody will send any more
    static Frame next(BlockingQueue<Frame> frames, Future<?> over)
            throws IOException, InterruptedException {
        while (true) {
            Frame next = frames.poll(TICK_MILLIS, TimeUnit.MILLISECONDS);
            if (next != null) {
                return next;
            }
            if (over.isDone()) {
                throw new IOException("the one who starts the step is gone");
            }
        }
    }

    private static StepPart parse(String text) throws IOException {
        String[] texts = text.split("\0", -1);
        try {
            int variables = Integer.parseInt(texts[1]);
            var environment = new TreeMap<String, String>();
            for (String variable : Arrays.copyOfRange(texts, 2, 2 + variables)) {
                int equals = variable.indexOf('=');
                environment.put(variable.substring(0, equals), variable.substring(equals + 1));
            }
            return new StepPart(
                    texts[0],
                    environment,
                    List.of(Arrays.copyOfRange(texts, 2 + variables, texts.length)));
        } catch (RuntimeException e) {
            throw new IOException("what was sent is no part of a step", e);
        }
    }
}
