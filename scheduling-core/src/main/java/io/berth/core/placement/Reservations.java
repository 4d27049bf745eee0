package io.berth.core.placement;

import io.berth.contracts.JobDescription;
import io.berth.contracts.NodeName;
import io.berth.contracts.ResourceRequest;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.ReservationFlag;
import io.berth.core.engine.Hours;
import io.berth.core.request.Reserved;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The reservations of a configuration over the nodes of a model, as they stand until the next of
/// them begins or ends.
///
/// - A job without one does not use reserved nodes: it must end before their time begins.
/// - A job in one uses its nodes alone, while it is on, and must end by its end; without a time
///   limit it may start as long as it is on. Nodes that are reserved twice are closed to it for the
///   time of the other one, unless its own may lie over others.
/// - A job in a FLEX one may use all nodes at all times that no other reservation closes; in one
///   with ANY_NODES all nodes while it is on.
/// - To a job without one the nodes of those that are MAGNETIC and let it in are open, and it is
///   drawn to them while they are on.
/// - When one with NO_HOLD_JOBS_AFTER is over, its jobs are as those without one.
///
/// Of one that comes again the next [#TIMES] times are known: a job that lasts for longer than that
/// never fits between them anyhow.
///
/// Source: scontrol(1), "RESERVATIONS"; slurm.schedmd.com/reservations.html.
final class Reservations {

    static final int TIMES = 32;

    private record HoursName(@Nullable String reservation, boolean endless, List<String> magnets) {}

    private final Configuration configuration;
    private final Map<String, Reservation> all;
    private final Map<String, BitSet> nodes = new LinkedHashMap<>();
    private final Map<HoursName, Hours> hours = new HashMap<>();
    private final int size;
    private final long now;
    private final long next;

    Reservations(Configuration configuration, List<NodeName> names, long now) {
        this.configuration = configuration;
        this.all = configuration.reservations();
        this.size = names.size();
        this.now = now;
        long soonest = Long.MAX_VALUE;
        for (Reservation it : all.values()) {
            var own = new BitSet();
            Partition partition = configuration.partitions().get(it.partition());
            for (int node = 0; node < size; node++) {
                own.set(node, Reserved.has(it, partition, names.get(node)));
            }
            nodes.put(it.name(), own);
            if (!it.over(now)) {
                long start = it.startAt(now);
                soonest = Math.min(soonest, start > now ? start : it.endOf(start));
            }
        }
        this.next = soonest;
    }

    /// When the next of them begins or ends; `Long.MAX_VALUE` if none does.
    long next() {
        return next;
    }

    /// What a request asks for when its reservation is over and its jobs are not held by that.
    ResourceRequest released(ResourceRequest request) {
        String name = request.where().reservation();
        Reservation it = name == null ? null : all.get(name);
        return it != null && it.has(ReservationFlag.NO_HOLD_JOBS_AFTER) && it.over(now)
                ? request.on(request.where().unreserved())
                : request;
    }

    /// The reservations whose nodes a job uses that names none.
    List<String> magnets(JobDescription job) {
        return all.values().stream()
                .filter(it -> it.has(ReservationFlag.MAGNETIC) && !it.over(now))
                .filter(it -> Reserved.admits(configuration, it, job.user(), job.account()))
                .map(Reservation::name)
                .toList();
    }

    /// The nodes of those of these that are on.
    BitSet drawing(List<String> magnets) {
        var drawing = new BitSet();
        for (String name : magnets) {
            Reservation it = all.get(name);
            if (it != null && it.on(now)) {
                drawing.or(nodes.getOrDefault(name, new BitSet()));
            }
        }
        return drawing;
    }

    /// Whether a request's reservation, if it names one, is there and can be used now.
    boolean usable(ResourceRequest request) {
        String name = request.where().reservation();
        Reservation it = name == null ? null : all.get(name);
        return name == null
                || (it != null && (it.has(ReservationFlag.FLEX) ? !it.over(now) : it.on(now)));
    }

    /// Its place among the reservations; -1 for none.
    int number(@Nullable String reservation) {
        return reservation == null ? -1 : List.copyOf(all.keySet()).indexOf(reservation);
    }

    /// The nodes that jobs of a reservation may use; null for all that no other one closes.
    @Nullable BitSet only(@Nullable String reservation) {
        Reservation it = reservation == null ? null : all.get(reservation);
        return it == null || it.has(ReservationFlag.FLEX) || it.has(ReservationFlag.ANY_NODES)
                ? null
                : nodes.get(reservation);
    }

    /// When nodes are closed to jobs.
    ///
    /// @param reservation of the jobs; null is none
    /// @param endless of jobs without a time limit
    /// @param magnets other reservations whose nodes they use
    Hours hours(@Nullable String reservation, boolean endless, List<String> magnets) {
        return all.isEmpty()
                ? Hours.ALWAYS
                : hours.computeIfAbsent(
                        new HoursName(reservation, endless, magnets), this::makeHours);
    }

    private Hours makeHours(HoursName name) {
        Reservation own = name.reservation() == null ? null : all.get(name.reservation());
        long end =
                own == null || own.has(ReservationFlag.FLEX)
                        ? Long.MAX_VALUE
                        : own.endOf(own.startAt(now));
        long last = name.endless() ? Long.MAX_VALUE : end;
        var closed = new long[size][];
        Map<List<Reservation>, long[]> known = new HashMap<>();
        for (int node = 0; node < size; node++) {
            List<Reservation> others =
                    own != null && own.overlaps()
                            ? List.of()
                            : on(node, own).stream()
                                    .filter(it -> !name.magnets().contains(it.name()))
                                    .toList();
            closed[node] = known.computeIfAbsent(others, it -> times(it, last));
        }
        return new Hours(closed, end);
    }

    private List<Reservation> on(int node, @Nullable Reservation but) {
        var on = new ArrayList<Reservation>();
        nodes.forEach((name, its) -> {
            Reservation it = all.get(name);
            if (its.get(node) && it != null && !it.equals(but) && !it.over(now)) {
                on.add(it);
            }
        });
        return on;
    }

    /// The times at which a node closes and opens again.
    ///
    /// @param end from which on it is closed for good
    private long[] times(List<Reservation> by, long end) {
        var times = new ArrayList<long[]>();
        for (Reservation it : by) {
            long start = it.startAt(now);
            times.add(new long[] {start, it.endOf(start)});
            for (int more = 1; it.periodMillis() > 0 && more < TIMES; more++) {
                start = it.after(start);
                times.add(new long[] {start, it.endOf(start)});
            }
        }
        if (end != Long.MAX_VALUE) {
            times.add(new long[] {end, Long.MAX_VALUE});
        }
        times.sort((one, other) -> Long.compare(one[0], other[0]));
        var merged = new ArrayList<long[]>();
        for (long[] time : times) {
            long[] last = merged.isEmpty() ? null : merged.getLast();
            if (last != null && time[0] <= last[1]) {
                last[1] = Math.max(last[1], time[1]);
            } else {
                merged.add(time);
            }
        }
        return merged.stream().flatMapToLong(Arrays::stream).toArray();
    }

    /// Whether maintenance is on one of these nodes before that time.
    boolean maintained(BitSet on, long before) {
        return all.values().stream()
                .filter(it -> it.has(ReservationFlag.MAINT) && !it.over(now))
                .filter(it -> it.startAt(now) < before)
                .anyMatch(it -> nodes.getOrDefault(it.name(), new BitSet()).intersects(on));
    }
}
