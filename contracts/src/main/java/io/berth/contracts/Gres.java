package io.berth.contracts;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import java.util.List;
import java.util.Set;
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
