import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/// Measures how many submissions a second the gateway of a mesh accepts, each on disk in the log before it is answered, and how long an answer takes.
///
/// `java benchmarks/SubmitLoad.java [seconds [rate [connections]]]`: for so long (20), so many a second (0: each connection sends when it was answered), over so many connections (32). With a
/// rate, times run from the moment when a request was due: a late one counts as slow. The jobs are held, so that nothing but their acceptance is measured. A quarter of the time before warms up. The processor time of each
/// part goes until the last of the jobs is in the books.
class SubmitLoad {

    private static final String HELD = "\"script\":\"#!/bin/sh\\ntrue\\n\",\"name\":\"load\",\"terms\":{\"hold\":true}";

    public static void main(String[] arguments) throws Exception {
        int seconds = argument(arguments, 0, 20);
        int rate = argument(arguments, 1, 0);
        int connections = argument(arguments, 2, 32);
        var mesh = RunningMesh.find();
        byte[] request = mesh.submission(Path.of("/tmp"), HELD);
        double booked = mesh.booked();
        int first = run(mesh, request, Math.max(1, seconds / 4), rate, connections).size();
        mesh.awaitBooked(booked + first);
        var time = new ProcessorTime(mesh);
        var answered = run(mesh, request, seconds, rate, connections);
        System.out.printf("%d connections, %s: %.0f accepted a second%n", connections, rate == 0 ? "as fast as answered" : rate + " a second", answered.size() / (double) seconds);
        RunningMesh.print("submission acknowledged", answered.stream().mapToDouble(it -> it).toArray());
        mesh.awaitBooked(booked + first + answered.size());
        time.print(answered.size());
    }

    private static int argument(String[] arguments, int index, int otherwise) {
        return arguments.length > index ? Integer.parseInt(arguments[index]) : otherwise;
    }

    private static ArrayList<Double> run(RunningMesh mesh, byte[] request, int seconds, int rate, int connections) throws Exception {
        var all = new ArrayList<Double>();
        var failures = new ArrayList<Exception>();
        var next = new AtomicInteger();
        long begin = System.nanoTime() + 100_000_000;
        long end = begin + seconds * 1_000_000_000L;
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < connections; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                var mine = new ArrayList<Double>();
                try (var socket = new Socket(mesh.host(), mesh.port())) {
                    socket.setTcpNoDelay(true);
                    var in = new BufferedInputStream(socket.getInputStream(), 16384);
                    while (true) {
                        long due = rate == 0 ? Math.max(begin, System.nanoTime()) : begin + next.getAndIncrement() * 1_000_000_000L / rate;
                        if (due >= end) {
                            break;
                        }
                        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                            LockSupport.parkNanos(left);
                        }
                        socket.getOutputStream().write(request);
                        accepted(in);
                        long now = System.nanoTime();
                        if (now < end) {
                            mine.add((now - due) / 1e6);
                        }
                    }
                } catch (IOException e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
                synchronized (all) {
                    all.addAll(mine);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
        return all;
    }

    /// Reads an answer, which must be 201.
    private static void accepted(InputStream in) throws IOException {
        String status = line(in);
        int length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            if (header.regionMatches(true, 0, "content-length:", 0, 15)) {
                length = Integer.parseInt(header.substring(15).strip());
            }
        }
        byte[] body = in.readNBytes(length);
        if (!status.contains(" 201 ")) {
            throw new IOException(status + " " + new String(body, StandardCharsets.UTF_8));
        }
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("the gateway closed the connection");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
