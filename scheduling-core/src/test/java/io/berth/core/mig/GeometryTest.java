package io.berth.core.mig;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.MigPlacement;
import io.berth.contracts.MigProfile;
import io.berth.core.testing.MigTables;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a GPU can be split into.
final class GeometryTest {

    private static final Map<String, List<MigProfile>> TABLES =
            Map.of(
                    "a100-40", MigTables.A100_40,
                    "a100-80", MigTables.A100_80,
                    "h100", MigTables.H100_80,
                    "h200", MigTables.H200,
                    "a30", MigTables.A30);

    private static List<MigProfile> table(String gpu) {
        return Objects.requireNonNull(TABLES.get(gpu), gpu);
    }

    private static MigProfile profile(List<MigProfile> table, String name) {
        return table.stream().filter(it -> it.name().equals(name)).findFirst().orElseThrow();
    }

    private static @Nullable Geometry packed(List<MigProfile> table, List<MigProfile> wanted) {
        Geometry geometry = Geometry.empty(table);
        for (MigProfile each : wanted) {
            geometry = geometry == null ? null : geometry.with(each, 1);
        }
        return geometry;
    }

    private static String split(String gpu, String wanted) {
        List<MigProfile> table = table(gpu);
        List<MigProfile> profiles =
                List.of(wanted.split(" ")).stream().map(it -> profile(table, it)).toList();
        Geometry geometry = packed(table, profiles);
        return geometry == null
                ? "no"
                : String.join(
                        " ",
                        geometry.places().stream()
                                .map(it -> it.profile() + "@" + it.start())
                                .toList());
    }

    @ParameterizedTest
    @CsvSource({
        "a100-40, 7g.40gb, 7g.40gb@0",
        "a100-40, 3g.20gb 4g.20gb, 4g.20gb@0 3g.20gb@4",
        "a100-40, 1g.5gb 2g.10gb 4g.20gb, 4g.20gb@0 2g.10gb@4 1g.5gb@6",
        "a100-40, 1g.5gb 1g.5gb 1g.5gb 1g.5gb 3g.20gb, 1g.5gb@0 1g.5gb@1 1g.5gb@2 1g.5gb@3 3g.20gb@4",
        "a100-40, 2g.10gb 2g.10gb 3g.20gb, 2g.10gb@0 2g.10gb@2 3g.20gb@4",
        "a100-40, 2g.10gb 2g.10gb 2g.10gb 1g.5gb, 2g.10gb@0 2g.10gb@2 2g.10gb@4 1g.5gb@6",
        "a100-40, 4g.20gb 4g.20gb, no",
        "a100-40, 3g.20gb 3g.20gb 1g.5gb, no",
        "a100-40, 2g.10gb 2g.10gb 2g.10gb 2g.10gb, no",
        "a100-40, 1g.10gb 1g.10gb 1g.10gb 1g.10gb, 1g.10gb@0 1g.10gb@2 1g.10gb@4 1g.10gb@6",
        "a100-40, 1g.5gb+me 1g.5gb+me, no",
        "a100-80, 4g.40gb 1g.20gb 1g.20gb, 4g.40gb@0 1g.20gb@4 1g.20gb@6",
        "h100, 7g.80gb 1g.10gb, no",
        "h200, 3g.71gb 2g.35gb 1g.18gb, 3g.71gb@0 2g.35gb@4 1g.18gb@6",
        "a30, 1g.6gb 1g.6gb 2g.12gb, 2g.12gb@0 1g.6gb@2 1g.6gb@3",
        "a30, 2g.12gb 2g.12gb 1g.6gb, no"
    })
    void a_gpu_is_split_as_nvidias_table_allows(String gpu, String wanted, String split) {
        assertThat(split(gpu, wanted)).isEqualTo(split);
    }

    @ParameterizedTest
    @CsvSource({
        "h100, 1g.10gb, 1g.10gb, 7x1g.10gb",
        "h100, 1g.10gb, 3g.40gb, 1x3g.40gb+4x1g.10gb",
        "h100, 7g.80gb, 1g.10gb, 1x7g.80gb",
        "h100, 4g.40gb, 4g.40gb, 1x4g.40gb+1x3g.40gb",
        "a30, 1g.6gb, 2g.12gb, 1x2g.12gb+2x1g.6gb",
        "a100-40, 2g.10gb, 2g.10gb, 3x2g.10gb+1x1g.10gb"
    })
    void what_is_left_is_filled_with_the_largest_that_is_useful(
            String gpu, String wanted, String useful, String filled) {
        List<MigProfile> table =
                table(gpu).stream().filter(it -> !it.name().endsWith("+me")).toList();

        Geometry geometry =
                Objects.requireNonNull(Geometry.empty(table).with(profile(table, wanted), 1));

        assertThat(MigPlacement.words(geometry.filled(List.of(wanted, useful)).places()))
                .isEqualTo(filled);
    }

    @Test
    void no_slice_is_taken_twice_and_all_is_covered_that_can_be() {
        var random = new Random(7);
        int fitted = 0;
        for (int round = 0; round < 1500; round++) {
            List<MigProfile> table =
                    List.copyOf(TABLES.values()).get(random.nextInt(TABLES.size()));
            var wanted = new ArrayList<MigProfile>();
            for (int i = random.nextInt(8); i >= 0; i--) {
                wanted.add(table.get(random.nextInt(table.size())));
            }

            Geometry geometry = packed(table, wanted);

            assertThat(geometry != null)
                    .as("%s of %s", wanted, table)
                    .isEqualTo(bruteForce(wanted, 0, 0));
            if (geometry != null) {
                fitted++;
                checkLaws(table, wanted, geometry);
                Collections.shuffle(wanted, random);
                assertThat(Objects.requireNonNull(packed(table, wanted)).places())
                        .isEqualTo(geometry.places());
                checkFilled(table, geometry.filled(List.of(table.getFirst().name())));
            }
        }
        assertThat(fitted).isBetween(250, 1250);
    }

    /// Every place for every profile, in the order given.
    private static boolean bruteForce(List<MigProfile> wanted, int from, long taken) {
        if (from == wanted.size()) {
            return wanted.stream().allMatch(it -> Collections.frequency(wanted, it) <= it.most());
        }
        MigProfile profile = wanted.get(from);
        for (int start : profile.starts()) {
            long mask = 0;
            for (int slice = start; slice < start + profile.slices(); slice++) {
                mask |= 1L << slice;
            }
            if ((mask & taken) == 0 && bruteForce(wanted, from + 1, taken | mask)) {
                return true;
            }
        }
        return false;
    }

    private static void checkLaws(
            List<MigProfile> table, List<MigProfile> wanted, Geometry geometry) {
        assertThat(geometry.places())
                .extracting(MigPlacement::profile)
                .containsExactlyInAnyOrderElementsOf(
                        wanted.stream().map(MigProfile::name).toList());
        var taken = new BitSet();
        for (MigPlacement place : geometry.places()) {
            MigProfile profile = profile(table, place.profile());
            assertThat(profile.starts()).contains(place.start());
            assertThat(place.slices()).isEqualTo(profile.slices());
            for (int slice = place.start(); slice < place.start() + place.slices(); slice++) {
                assertThat(taken.get(slice)).as("slice %d of %s", slice, geometry).isFalse();
                taken.set(slice);
            }
        }
    }

    private static void checkFilled(List<MigProfile> table, Geometry filled) {
        assertThat(table).allMatch(profile -> filled.with(profile, 1) == null);
    }
}
