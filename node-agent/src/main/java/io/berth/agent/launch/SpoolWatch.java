package io.berth.agent.launch;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells the runs of an agent process that a file has appeared in their folder.
public final class SpoolWatch implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(SpoolWatch.class);

    private final WatchService service;
    private final ReentrantLock lock = new ReentrantLock();

    /// A folder that is watched twice has one key.
    private final Map<WatchKey, List<Runnable>> watchers = new HashMap<>();

    public SpoolWatch() throws IOException {
        service = FileSystems.getDefault().newWatchService();
        Thread.ofPlatform().name("spool-watch").daemon().start(this::run);
    }

    /// Calls `changed` after each change from now on, until the answer is closed. Where the kernel
    /// has no watch left it does not: who waits looks for himself now and then.
    public Registration watch(Path folder, Runnable changed) {
        lock.lock();
        try {
            WatchKey key = folder.register(service, StandardWatchEventKinds.ENTRY_CREATE);
            watchers.computeIfAbsent(key, _ -> new ArrayList<>()).add(changed);
            return () -> forget(key, changed);
        } catch (IOException | ClosedWatchServiceException e) {
            LOG.atWarn().addKeyValue("folder", folder).addKeyValue("cause", e).log("Not watched");
            return () -> {};
        } finally {
            lock.unlock();
        }
    }

    private void forget(WatchKey key, Runnable changed) {
        lock.lock();
        try {
            List<Runnable> all = watchers.getOrDefault(key, new ArrayList<>());
            all.remove(changed);
            if (all.isEmpty()) {
                watchers.remove(key);
                key.cancel();
            }
        } finally {
            lock.unlock();
        }
    }

    private List<Runnable> watchers(WatchKey key) {
        lock.lock();
        try {
            return List.copyOf(watchers.getOrDefault(key, List.of()));
        } finally {
            lock.unlock();
        }
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
                watchers(key).forEach(Runnable::run);
            }
        } catch (ClosedWatchServiceException e) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
