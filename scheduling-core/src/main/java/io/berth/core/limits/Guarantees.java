package io.berth.core.limits;

import io.berth.contracts.JobId;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.JobStatus;
import io.berth.contracts.event.JobStatus.Claim;
import io.berth.contracts.event.JobStatus.Run;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What accounts are guaranteed: which runs stand on it and which have borrowed their places, and
/// who may have those back. Confined to one thread.
///
/// *Who stands*: the runs of an account with a guarantee, and of all accounts below it, fill it in
/// the order in which they took their places. From the first that does not fit wholly, all later
/// ones have borrowed. So a run that stands is not moved by later ones. Only what accounts below
/// are guaranteed is theirs first: a run that stands on theirs stands on this one too, and the
/// others fill what is left. Counted is what a guarantee names; a run that takes nothing of it does
/// not stand on it.
///
/// *Who may have whose place*: of two accounts, look below the lowest one that both are of. On
/// either side counts the topmost account there that has a guarantee. The job's must have room for
/// it, beside all that runs; the run must not stand on its own. Then the job stands on its
/// account's guarantee when it runs.
///
/// *Example*: `lab` is guaranteed 8 GPUs, `shop` nothing. `shop` runs 12 of 16, `lab` runs 4 and
/// wants 4 more: it may have the place of any of `shop`'s runs. If it wants 8 more, it waits.
///
/// *Cost*: nothing where no account has a guarantee; else [#settle] looks at the runs of those
/// topmost accounts in which something has changed.
public final class Guarantees {

    /// A job's right to the places of runs on some grounds.
    ///
    /// @param queue the number of the account that must have room for the job
    /// @param grounds as [#ground] numbers them
    public record Right(int queue, BitSet grounds) {}

    /// When a run took its place: after those before it in this order.
    ///
    /// @param since in epoch milliseconds
    /// @param until tells those apart that claimed theirs at one moment; [Long#MAX_VALUE] of one
    ///   whose place was free, which comes after those
    private record Place(long since, long until, JobId job) implements Comparable<Place> {

        private static final Comparator<Place> ORDER =
                Comparator.comparingLong(Place::since)
                        .thenComparingLong(Place::until)
                        .thenComparing(Place::job);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    private static final class Member {
        final Place place;
        final Queue in;
        final Map<String, Long> tres;

        /// The lowest account on whose guarantee it stands; null for one that has borrowed.
        @Nullable Queue on;

        Member(Place place, Queue in, Map<String, Long> tres) {
            this.place = place;
            this.in = in;
            this.tres = tres;
        }
    }

    /// An account with a guarantee, or one above such an account; or the root of all.
    private static final class Queue {
        final int number;
        final @Nullable Queue above;
        final int depth;
        final Map<String, Long> guarantee;

        /// Those with a guarantee on the way to it, the topmost first, itself included.
        final List<Queue> guaranteed;

        /// The ground of its runs that have borrowed. Those of runs that stand on one of
        /// `guaranteed` follow, in its order.
        final int borrowed;

        final List<Queue> below = new ArrayList<>();
        final Set<Member> members = new LinkedHashSet<>();

        /// By all of its members and of those below it.
        final Map<String, Long> used = new HashMap<>();

        /// By those of them that stand on it.
        Map<String, Long> standing = Map.of();

        @Nullable List<Right> rights;

        Queue(int number, @Nullable Queue above, Map<String, Long> guarantee, int borrowed) {
            this.number = number;
            this.above = above;
            this.depth = above == null ? 0 : above.depth + 1;
            this.guarantee = guarantee;
            this.borrowed = borrowed;
            var all = new ArrayList<>(above == null ? List.<Queue>of() : above.guaranteed);
            if (!guarantee.isEmpty()) {
                all.add(this);
            }
            this.guaranteed = List.copyOf(all);
        }

        int grounds() {
            return 1 + guaranteed.size();
        }

        int ground(@Nullable Queue on) {
            return on == null ? borrowed : borrowed + 1 + guaranteed.indexOf(on);
        }

        /// Whether it counts anything of that.
        boolean counts(Map<String, Long> tres) {
            return guarantee.keySet().stream().anyMatch(it -> tres.getOrDefault(it, 0L) > 0);
        }

        boolean holds(Map<String, Long> some, Map<String, Long> more) {
            return guarantee.entrySet().stream()
                    .allMatch(it ->
                            Saturated.plus(
                                            some.getOrDefault(it.getKey(), 0L),
                                            more.getOrDefault(it.getKey(), 0L))
                                    <= it.getValue());
        }
    }

    private final Configuration configuration;
    private final Map<String, Queue> byAccount = new HashMap<>();
    private final List<Queue> queues = new ArrayList<>();
    private final Map<JobId, Member> members = new HashMap<>();

    /// The topmost accounts with a guarantee in which something has changed.
    private final Set<Queue> unsettled = new LinkedHashSet<>();

    public Guarantees(Configuration configuration) {
        this.configuration = configuration;
        queues.add(new Queue(0, null, Map.of(), 0));
        configuration.accounts().values().stream()
                .filter(it -> !it.ownTerms().guarantee().isEmpty())
                .forEach(it -> add(it.name()));
    }

    private Queue add(String account) {
        Queue known = byAccount.get(account);
        if (known != null) {
            return known;
        }
        Account it = configuration.accounts().get(account);
        String parent = it == null ? null : it.parent();
        Queue above = parent == null ? queues.getFirst() : add(parent);
        var added = new Queue(queues.size(), above, guarantee(account), grounds());
        above.below.add(added);
        queues.add(added);
        byAccount.put(account, added);
        return added;
    }

    /// What an account is guaranteed.
    public Map<String, Long> guarantee(String account) {
        Account it = configuration.accounts().get(account);
        return it == null ? Map.of() : it.ownTerms().guarantee();
    }

    /// Whether nobody is guaranteed anything.
    public boolean none() {
        return queues.size() == 1;
    }

    private Queue queue(String account) {
        return configuration.lineage(account).stream()
                .map(byAccount::get)
                .filter(it -> it != null)
                .findFirst()
                .orElse(queues.getFirst());
    }

    /// A job runs.
    ///
    /// @param tres that it takes, as [JobUse#tres]
    public void holds(JobStatus job, Run run, Map<String, Long> tres) {
        Claim claim = run.claim();
        holds(
                job.job(),
                job.description().account(),
                claim == null ? run.placedAt() : claim.since(),
                claim == null ? Long.MAX_VALUE : claim.until(),
                tres);
    }

    /// A job has its place.
    ///
    /// @param since in epoch milliseconds
    /// @param until tells those apart that had theirs cleared at one moment, in the order in which
    ///   that was decided; [Long#MAX_VALUE] of one whose place was free
    /// @param tres that it takes, as [JobUse#tres]
    public void holds(JobId job, String account, long since, long until, Map<String, Long> tres) {
        Queue in = queue(account);
        var place = new Place(since, until, job);
        Member before = members.get(job);
        if (before != null
                && before.in == in
                && before.place.equals(place)
                && before.tres.equals(tres)) {
            return;
        }
        leaves(job);
        if (!in.guaranteed.isEmpty()) {
            var member = new Member(place, in, tres);
            members.put(job, member);
            in.members.add(member);
            count(member, 1);
        }
    }

    /// What a run says whose job has its place, if that was cleared for it; null if it was free.
    public @Nullable Claim claim(JobId job) {
        Member member = members.get(job);
        return member == null || member.place.until() == Long.MAX_VALUE
                ? null
                : new Claim(member.place.since(), member.place.until());
    }

    /// A job has no place.
    public void leaves(JobId job) {
        Member gone = members.remove(job);
        if (gone != null) {
            gone.in.members.remove(gone);
            count(gone, -1);
        }
    }

    private void count(Member member, int sign) {
        unsettled.add(member.in.guaranteed.getFirst());
        for (Queue at = member.in; at != null; at = at.above) {
            Map<String, Long> used = at.used;
            member.tres.forEach((name, amount) -> used.merge(name, sign * amount, Long::sum));
        }
    }

    /// Finds out who stands. Until it is called again they stand so, whatever changes.
    ///
    /// @return the runs that stand on something else than before
    public Set<JobId> settle() {
        var changed = new TreeSet<JobId>();
        for (Queue top : unsettled) {
            var before = new LinkedHashMap<Member, @Nullable Queue>();
            collect(top, before);
            fill(top);
            before.forEach((member, on) -> {
                if (member.on != on) {
                    changed.add(member.place.job());
                }
            });
        }
        unsettled.clear();
        return changed;
    }

    private static void collect(Queue queue, Map<Member, @Nullable Queue> on) {
        queue.members.forEach(it -> on.put(it, it.on));
        queue.below.forEach(it -> collect(it, on));
    }

    /// @return those of it who do not stand
    private static List<Member> fill(Queue queue) {
        var standing = new HashMap<String, Long>();
        var others = new ArrayList<>(queue.members);
        for (Queue each : queue.below) {
            others.addAll(fill(each));
            each.standing.forEach((name, amount) -> standing.merge(name, amount, Long::sum));
        }
        queue.standing = standing;
        if (queue.guarantee.isEmpty()) {
            queue.members.forEach(it -> it.on = null);
            return others;
        }
        others.sort(Comparator.comparing(it -> it.place));
        var borrowing = new ArrayList<Member>();
        boolean room = true;
        for (Member each : others) {
            boolean counts = queue.counts(each.tres);
            room &= !counts || queue.holds(standing, each.tres);
            each.on = counts && room ? queue : null;
            if (each.on == null) {
                borrowing.add(each);
            } else {
                each.tres.forEach((name, amount) -> standing.merge(name, amount, Long::sum));
            }
        }
        return borrowing;
    }

    /// How many grounds there are.
    public int grounds() {
        Queue last = queues.getLast();
        return last.borrowed + last.grounds();
    }

    /// What a run stands on, as a number; that of one that has borrowed if it is not known.
    public int ground(JobId job, String account) {
        Member member = members.get(job);
        return member == null ? queue(account).borrowed : member.in.ground(member.on);
    }

    /// Whether a run stands on any guarantee.
    public boolean stands(JobId job) {
        Member member = members.get(job);
        return member != null && member.on != null;
    }

    /// The number of one that has borrowed.
    public int borrowed(String account) {
        return queue(account).borrowed;
    }

    /// The rights of an account's jobs to the places of others, as far as their queues have room.
    public List<Right> rights(String account) {
        Queue of = queue(account);
        if (of.rights == null) {
            of.rights = rights(of);
        }
        return of.rights;
    }

    private List<Right> rights(Queue of) {
        var rights = new ArrayList<Right>();
        int from = 0;
        for (Queue its : of.guaranteed) {
            var grounds = new BitSet();
            for (Queue other : queues) {
                int common = common(of, other);
                if (from <= common && common < its.depth) {
                    grounds.set(other.borrowed);
                    other.guaranteed.stream()
                            .filter(it -> it.depth <= common)
                            .forEach(it -> grounds.set(other.ground(it)));
                }
            }
            rights.add(new Right(its.number, grounds));
            from = its.depth;
        }
        return List.copyOf(rights);
    }

    /// The depth of the lowest account that both are of.
    private static int common(Queue one, Queue other) {
        @Nullable Queue a = one;
        @Nullable Queue b = other;
        while (a != null && b != null && a != b) {
            if (a.depth >= b.depth) {
                a = a.above;
            } else {
                b = b.above;
            }
        }
        return a == null ? 0 : a.depth;
    }

    /// Whether a job would stand on that account's guarantee, and so would all who have a place
    /// there now.
    ///
    /// @param tres that it takes
    public boolean covers(int queue, Map<String, Long> tres) {
        Queue it = queues.get(queue);
        return it.counts(tres) && it.holds(it.used, tres);
    }

    /// What the runs take that stand on the guarantees of an account and of those below it, since
    /// they were last settled.
    public Map<String, Long> standing(String account) {
        Queue it = byAccount.get(account);
        return it == null ? Map.of() : standing(it);
    }

    private static Map<String, Long> standing(Queue queue) {
        if (!queue.guarantee.isEmpty()) {
            return queue.standing;
        }
        var sum = new TreeMap<String, Long>();
        for (Queue each : queue.below) {
            standing(each).forEach((name, amount) -> sum.merge(name, amount, Long::sum));
        }
        return sum;
    }
}
