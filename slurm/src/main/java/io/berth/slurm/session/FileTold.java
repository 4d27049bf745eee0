package io.berth.slurm.session;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What one who hands a file over tells of it before its bytes come.
///
/// @param bytes how many there are
/// @param mode who may do what with it, in octal digits
/// @param accessed the last time that it was read, in seconds since 1970
/// @param modified the last time that it was written, in seconds since 1970
public record FileTold(long bytes, String mode, long accessed, long modified) {

    private static final Pattern TEXT =
            Pattern.compile("(\\d{1,18}):([0-7]{1,3}):(\\d{1,12}):(\\d{1,12})");
    private static final int PERMISSIONS = 0777;

    /// As [#text] says it; nothing if it does not.
    public static Optional<FileTold> parse(String text) {
        Matcher parts = TEXT.matcher(text);
        return parts.matches()
                ? Optional.of(
                        new FileTold(
                                Long.parseLong(parts.group(1)),
                                parts.group(2),
                                Long.parseLong(parts.group(3)),
                                Long.parseLong(parts.group(4))))
                : Optional.empty();
    }

    /// `bytes:mode:accessed:modified`
    public String text() {
        return "%d:%s:%d:%d".formatted(bytes, mode, accessed, modified);
    }

    /// What there is to tell of a file that can be read.
    ///
    /// @throws IOException in Slurm's words if it cannot, by the name that it was called
    public static FileTold of(Path path, String name) throws IOException {
        open(path, name).close();
        Map<String, Object> all =
                Files.readAttributes(path, "unix:mode,size,lastAccessTime,lastModifiedTime");
        return new FileTold(
                of(all, "size", Long.class),
                Integer.toOctalString(of(all, "mode", Integer.class) & PERMISSIONS),
                seconds(all, "lastAccessTime"),
                seconds(all, "lastModifiedTime"));
    }

    private static long seconds(Map<String, Object> all, String name) {
        return Math.max(0, of(all, name, FileTime.class).to(TimeUnit.SECONDS));
    }

    private static <T> T of(Map<String, Object> all, String name, Class<T> type) {
        return type.cast(Objects.requireNonNull(all.get(name), name));
    }

    /// Its bytes.
    ///
    /// @throws IOException as [#of]
    public static InputStream open(Path path, String name) throws IOException {
        String why;
        try {
            if (!Files.isDirectory(path)) {
                return Files.newInputStream(path);
            }
            why = "Is a directory";
        } catch (NoSuchFileException e) {
            why = "No such file or directory";
        } catch (AccessDeniedException e) {
            why = "Permission denied";
        }
        throw new IOException("Can't open `%s`: %s".formatted(name, why));
    }
}
