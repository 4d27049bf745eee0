package io.berth.agent.launch;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Tells the runs of an agent process that a file has appeared in their folder.
public final class SpoolWatch implements Closeable {

    private final WatchService service;
    private final Map<WatchKey, Runnable> watchers = new ConcurrentHashMap<>();

    public SpoolWatch() throws IOException {
        service = FileSystems.getDefault().newWatchService();
        Thread.ofPlatform().name("spool-watch").daemon().start(this::run);
    }

    /// Calls `changed` after each change from now on, until the answer is closed.
    public Registration watch(Path folder, Runnable changed) throws IOException {
        WatchKey key = folder.register(service, StandardWatchEventKinds.ENTRY_CREATE);
        watchers.put(key, changed);
        return () -> {
            watchers.remove(key);
            key.cancel();
        };
    }

    /// One folder's watch.
    public interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    @Override
    public void close() throws IOException {
        service.close();
    }

    private void run() {
        try {
            while (true) {
                WatchKey key = service.take();
                key.pollEvents();
                key.reset();
                Runnable changed = watchers.get(key);
                if (changed != null) {
                    changed.run();
                }
            }
        } catch (ClosedWatchServiceException e) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
