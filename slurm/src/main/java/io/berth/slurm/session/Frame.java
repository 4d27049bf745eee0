package io.berth.slurm.session;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One message of an interactive run: a byte that names the channel, and the bytes that go there.
///
/// Control messages are words with blanks between. The user's end says `eof` (its input is over),
/// `signal INT` and `size 24 80` (rows and columns of its terminal), to an allocation, the agent of
/// a job's further node or one who waits to be told `step …`, to an allocation `end`, to a part of
/// a step `part …` and `run`; the agent of a node on which no step can start says `refused <why>`;
/// the job's end says `started <node>`, `took <n>` (so many more bytes of input have been read from
/// it) and, last, `exit <code>`; that of an allocation first `variables …`. Ends that outlive their
/// connections say `at <n>`: see [LastingLink].
public record Frame(Channel channel, byte[] payload) {
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
    private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

    private static final Pattern SLURMS = Pattern.compile("SLURM_[A-Z0-9_]+");

    /// The most bytes of one payload of a stream.
    public static final int MAX_BYTES = 16 << 10;

    /// Where the bytes go. The order is part of the language.
    public enum Channel {
        INPUT,
        OUTPUT,
        ERROR,
        CONTROL,
        BESIDE
    }

    /// The first so many bytes of a buffer.
    public static Frame of(Channel channel, byte[] buffer, int length) {
        return new Frame(channel, Arrays.copyOf(buffer, length));
    }

    public static Frame control(String words) {
        return new Frame(Channel.CONTROL, words.getBytes(StandardCharsets.UTF_8));
    }

    /// What somebody says beside the two ends of a session, as the end hears it that counts what
    /// the other one says.
    ///
    /// @param message as it was sent
    public static byte[] beside(byte[] message) {
        var channel = new byte[] {(byte) Channel.BESIDE.ordinal()};
        return ByteBuffer.allocate(1 + message.length).put(channel).put(message).array();
    }

    /// What somebody said so; null if this is the other end's own word.
    @Nullable Frame said() {
        return channel == Channel.BESIDE ? read(ByteBuffer.wrap(payload)) : null;
    }

    /// How many bytes of input this says were taken; 0 if it says something else.
    int took() {
        if (channel != Channel.CONTROL) {
            return 0;
        }
        List<String> words = words();
        return words.size() == 2
                        && words.getFirst().equals("took")
                        && words.getLast().matches("\\d{1,9}")
                ? Integer.parseInt(words.getLast())
                : 0;
    }

    /// Has the job's end of an allocation run a command whose streams are at another session: `step
    /// <url> <secret> <size> <word>…`, each in base64 for its blanks.
    ///
    /// @param url of one whose streams are at this session, which each end comes to once: where
    ///   both meet again when they lose it; empty if they do not
    /// @param size rows and columns of the command's terminal; empty is without one
    public static Frame step(String url, String secret, String size, List<String> command) {
        var words = new StringBuilder("step");
        Stream.concat(Stream.of(url, secret, size), command.stream())
                .map(Frame::encoded)
                .forEach(it -> words.append(' ').append(it));
        return control(words.toString());
    }

    /// Tells the one who holds an allocation what a script in it would find in its environment:
    /// `variables <name=value>…`, each in base64.
    public static Frame variables(Map<String, String> variables) {
        var words = new StringBuilder("variables");
        variables.forEach((name, value) -> words.append(' ').append(encoded(name + "=" + value)));
        return control(words.toString());
    }

    /// What a `variables` message tells: Slurm's variables alone, for the shell that gets them
    /// trusts no job with any other, such as PATH.
    ///
    /// @throws IllegalArgumentException if it is none
    public Map<String, String> variables() {
        List<String> words = words();
        if (!words.getFirst().equals("variables")) {
            throw new IllegalArgumentException("a message tells no variables");
        }
        var variables = new TreeMap<String, String>();
        for (String word : words.subList(1, words.size())) {
            String[] pair = decoded(word).split("=", 2);
            String value = pair.length == 1 ? "" : pair[1];
            if (SLURMS.matcher(pair[0]).matches() && value.indexOf(0) < 0) {
                variables.put(pair[0], value);
            }
        }
        return variables;
    }

    /// The words of a `step` message after the first: URL, secret, size and the command's.
    ///
    /// @throws IllegalArgumentException if it is none
    public List<String> stepWords() {
        List<String> words = words();
        if (words.size() < 5 || !words.getFirst().equals("step")) {
            throw new IllegalArgumentException("a message asks for no step");
        }
        return words.stream().skip(1).map(Frame::decoded).toList();
    }

    /// A word without blanks that is never empty.
    private static String encoded(String text) {
        return ENCODER.encodeToString(("=" + text).getBytes(StandardCharsets.UTF_8));
    }

    private static String decoded(String word) {
        return new String(DECODER.decode(word), StandardCharsets.UTF_8).substring(1);
    }

    /// The message as it was sent.
    ///
    /// @throws IllegalArgumentException if it is none of this language
    public static Frame read(ByteBuffer message) {
        Channel[] channels = Channel.values();
        if (!message.hasRemaining()
                || message.get(message.position()) < 0
                || message.get(message.position()) >= channels.length) {
            throw new IllegalArgumentException("a message names none of the channels");
        }
        Channel channel = channels[message.get()];
        var payload = new byte[message.remaining()];
        message.get(payload);
        return new Frame(channel, payload);
    }

    /// The message as it is sent.
    public ByteBuffer message() {
        return ByteBuffer.allocate(payload.length + 1)
                .put((byte) channel.ordinal())
                .put(payload)
                .flip();
    }

    /// The words of a control message.
    public List<String> words() {
        return List.of(new String(payload, StandardCharsets.UTF_8).strip().split("\\s+"));
    }
}
