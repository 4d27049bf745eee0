package io.berth.embedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Whole folders, deleted or given to another user.
final class Folders {

    private Folders() {}

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(
                folder,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.delete(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(
                            Path directory, @Nullable IOException error) throws IOException {
                        if (error != null) {
                            throw error;
                        }
                        Files.delete(directory);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    static void give(Path folder, int uid) throws IOException {
        List<Path> all;
        try (var files = Files.walk(folder)) {
            all = files.toList();
        }
        for (Path file : all) {
            if (!Integer.valueOf(uid)
                    .equals(Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS))) {
                Files.setAttribute(file, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
            }
        }
    }
}
