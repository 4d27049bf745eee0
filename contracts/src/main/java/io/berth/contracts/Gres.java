package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// A generic resource other than GPUs: so many of a name that a node has, that a job wants on each
/// of its nodes, or that a run holds on one.
///
/// @param type null is of no type; in a request, of any
/// @param files the device file of each, where it has one; none where it is only counted, and in a
///   request
public record Gres(
        String name,
        @Nullable String type,
        long count,
        @Added @JsonInclude(Include.NON_EMPTY) List<String> files)
        implements Comparable<Gres> {

    /// The most of one name on a node.
    public static final long MOST = 1L << 40;

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_-]{0,30}");
    private static final Pattern TYPE = Pattern.compile("[a-z0-9][a-z0-9._-]{0,62}");

    /// What GPUs and their parts are called.
    private static final Set<String> OF_GPUS = Set.of("gpu", "mps", "shard", "gpumem", "mig");

    public Gres {
        files = files == null ? List.of() : List.copyOf(files);
        if (!isName(name)
                || (type != null && !isType(type))
                || count < 1
                || count > MOST
                || (!files.isEmpty() && files.size() != count)) {
            throw new IllegalArgumentException(
                    "%d of '%s' of type '%s' with %d device files: a name that is none of GPUs, 1 to %d, and a file for each or none"
                            .formatted(count, name, type, files.size(), MOST));
        }
    }

    /// Some that are only counted.
    public Gres(String name, @Nullable String type, long count) {
        this(name, type, count, List.of());
    }

    /// Whether a resource other than GPUs may have that name.
    public static boolean isName(String name) {
        return NAME.matcher(name).matches() && !OF_GPUS.contains(name);
    }

    public static boolean isType(String type) {
        return TYPE.matcher(type).matches();
    }

    /// The same of another count, without files.
    public Gres counted(long other) {
        return new Gres(name, type, other);
    }

    /// Whether what a node has of it is what a request speaks of.
    public boolean admits(Gres there) {
        return name.equals(there.name) && (type == null || type.equals(there.type));
    }

    /// Of what is wanted together, a name that comes twice, with a type and without one: what then
    /// is wanted of it nobody can say. Null if there is none.
    ///
    /// @param wanted in their order
    public static @Nullable String ambiguous(List<Gres> wanted) {
        for (int next = 1; next < wanted.size(); next++) {
            Gres before = wanted.get(next - 1);
            Gres gres = wanted.get(next);
            if (gres.name.equals(before.name)
                    && (before.type == null || before.type.equals(gres.type))) {
                return gres.name;
            }
        }
        return null;
    }

    /// How much of each of a node's resources is held by who was given `held` of what the node told
    /// of then: what has the device file now, else what has the name and type, else all of that
    /// name, for nobody can say which of them it is.
    ///
    /// @param there what the node has now, one of a name and type
    public static List<Gres> heldOf(List<Gres> held, List<Gres> there) {
        var now = new TreeMap<Gres, Long>();
        for (Gres one : held) {
            long unnamed = one.count() - one.files.size();
            for (String file : one.files) {
                List<Gres> having = there.stream().filter(it -> it.files.contains(file)).toList();
                having.forEach(it -> now.merge(it, 1L, Gres::sum));
                unnamed += having.isEmpty() ? 1 : 0;
            }
            if (unnamed > 0) {
                long rest = unnamed;
                one.among(there).forEach(it -> now.merge(it, rest, Gres::sum));
            }
        }
        return now.entrySet().stream().map(it -> it.getKey().counted(it.getValue())).toList();
    }

    private static long sum(long one, long other) {
        return Math.min(MOST, one + other);
    }

    /// Those of its name and type, or if there are none of its name.
    private List<Gres> among(List<Gres> there) {
        List<Gres> same = there.stream().filter(it -> it.compareTo(this) == 0).toList();
        return same.isEmpty() ? there.stream().filter(it -> it.name.equals(name)).toList() : same;
    }

    /// `nic`, `fpga:xilinx`.
    public String kind() {
        return type == null ? name : name + ":" + type;
    }

    /// `nic:2`, `fpga:xilinx:1`.
    public String text() {
        return kind() + ":" + count;
    }

    /// In the order of names, then of types, none before all.
    @Override
    public int compareTo(Gres other) {
        return kind().compareTo(other.kind());
    }
}
