package io.berth.core.mig;

import io.berth.contracts.MigPlacement;
import io.berth.contracts.MigProfile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a GPU is to be split into by MIG: a packing of instances into memory slices, by NVIDIA's
/// placement table.
///
/// *Constraints*: an instance lies where the table allows its profile; no slice is taken twice; no
/// profile has more instances than the table says. The table has the compute slices in it: its
/// places leave none over.
///
/// *Method*: the places of a multiset of profiles are found by trying all, the largest profile
/// first; a GPU has eight slices at most, so that is some dozens of steps. So a multiset is refused
/// only if it cannot be packed, and whatever fits as a whole fits in every part and order: a
/// geometry that [#with] builds up has all that is wanted whenever one GPU can have it.
///
/// *Example*, H100 of 80 GB: `3g.40gb`, then thrice `1g.10gb`, then [#filled] with those two is
/// `1x3g.40gb+4x1g.10gb`.
///
/// Source: NVIDIA, "Multi-Instance GPU User Guide", MIG device profiles.
public final class Geometry {

    private static final Comparator<MigProfile> LARGEST =
            Comparator.comparingInt(MigProfile::slices)
                    .thenComparingLong(MigProfile::memoryMib)
                    .thenComparing(MigProfile::name)
                    .reversed();

    private final List<MigProfile> table;
    private final List<MigProfile> profiles;
    private final List<MigPlacement> places;

    private Geometry(List<MigProfile> table, List<MigProfile> profiles, List<MigPlacement> places) {
        this.table = table;
        this.profiles = profiles;
        this.places = places;
    }

    /// A GPU that is split into nothing yet.
    ///
    /// @param table the profiles that it may be split into
    public static Geometry empty(Collection<MigProfile> table) {
        return new Geometry(table.stream().sorted(LARGEST).toList(), List.of(), List.of());
    }

    /// Its instances, in place.
    public List<MigPlacement> places() {
        return places;
    }

    /// The same with some more instances, all at other places perhaps; null if they do not fit.
    ///
    /// @param profile of the table
    public @Nullable Geometry with(MigProfile profile, int count) {
        var more = new ArrayList<>(profiles);
        for (int i = 0; i < count; i++) {
            more.add(profile);
        }
        more.sort(LARGEST);
        var found = new ArrayList<MigPlacement>();
        if (!pack(more, 0, 0, found)) {
            return null;
        }
        return new Geometry(
                table, List.copyOf(more), found.stream().sorted(MigPlacement.IN_PLACE).toList());
    }

    /// The same with what else fits: of the profiles that are useful the largest, as often as it
    /// fits, then the next one; then so of all others.
    ///
    /// @param useful names of profiles
    public Geometry filled(Collection<String> useful) {
        Geometry filled = this;
        for (boolean first : new boolean[] {true, false}) {
            for (MigProfile profile : table) {
                if (useful.contains(profile.name()) == first) {
                    filled = filled.asOftenAsFits(profile);
                }
            }
        }
        return filled;
    }

    private Geometry asOftenAsFits(MigProfile profile) {
        Geometry last = this;
        for (Geometry next = last.with(profile, 1); next != null; next = next.with(profile, 1)) {
            last = next;
        }
        return last;
    }

    /// Finds places for the profiles from one on, beside slices that are taken.
    ///
    /// @param taken one bit for each slice
    /// @param found takes the places; as it was if there are none
    private static boolean pack(
            List<MigProfile> profiles, int from, int taken, List<MigPlacement> found) {
        if (from == profiles.size()) {
            return true;
        }
        MigProfile profile = profiles.get(from);
        boolean again = from > 0 && profiles.get(from - 1).equals(profile);
        int after = again ? found.getLast().start() : -1;
        if (profiles.stream().filter(profile::equals).count() > profile.most()) {
            return false;
        }
        for (int start : profile.starts().stream().sorted().toList()) {
            int slices = ((1 << profile.slices()) - 1) << start;
            if (start > after && (taken & slices) == 0) {
                found.add(profile.at(start));
                if (pack(profiles, from + 1, taken | slices, found)) {
                    return true;
                }
                found.removeLast();
            }
        }
        return false;
    }
}
