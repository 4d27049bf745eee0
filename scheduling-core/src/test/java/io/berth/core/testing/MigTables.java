package io.berth.core.testing;

import io.berth.contracts.MigProfile;
import java.util.List;
import java.util.stream.IntStream;

/// The placement tables of GPUs, as `nvidia-smi mig -lgip -lgipp` prints them.
///
/// Source: NVIDIA, "Multi-Instance GPU User Guide", supported MIG profiles.
public final class MigTables {

    public static final List<MigProfile> A100_40 =
            eight("1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb", 4864);

    public static final List<MigProfile> A100_80 =
            eight("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb", 9728);

    public static final List<MigProfile> H100_80 =
            eight("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb", 9856);

    public static final List<MigProfile> H200 =
            eight("1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb", 16_384);

    public static final List<MigProfile> A30 =
            List.of(
                    new MigProfile("1g.6gb", 5952, 1, List.of(0, 1, 2, 3), 4),
                    new MigProfile("1g.6gb+me", 5952, 1, List.of(0, 1, 2, 3), 1),
                    new MigProfile("2g.12gb", 11_968, 2, List.of(0, 2), 2),
                    new MigProfile("4g.24gb", 24_064, 4, List.of(0), 1));

    private MigTables() {}

    /// A GPU of eight memory slices and seven compute slices: all the large ones are alike.
    private static List<MigProfile> eight(
            String one,
            String wideOne,
            String two,
            String three,
            String four,
            String seven,
            long mib) {
        List<Integer> ones = IntStream.range(0, 7).boxed().toList();
        return List.of(
                new MigProfile(one, mib, 1, ones, 7),
                new MigProfile(one + "+me", mib, 1, ones, 1),
                new MigProfile(wideOne, 2 * mib, 2, List.of(0, 2, 4, 6), 4),
                new MigProfile(two, 2 * mib, 2, List.of(0, 2, 4), 3),
                new MigProfile(three, 4 * mib, 4, List.of(0, 4), 2),
                new MigProfile(four, 4 * mib, 4, List.of(0), 1),
                new MigProfile(seven, 8 * mib, 8, List.of(0), 1));
    }
}
