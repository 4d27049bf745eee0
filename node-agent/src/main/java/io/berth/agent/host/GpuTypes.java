package io.berth.agent.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The short types by which requests name GPUs, from the products' names: `NVIDIA A100-SXM4-80GB`
/// is an `a100`, `NVIDIA GeForce RTX 4090` an `rtx_4090`, `AMD Instinct MI300X OAM` an `mi300x`.
public final class GpuTypes {

    private static final Set<String> MAKERS =
            Set.of("nvidia", "amd", "tesla", "quadro", "geforce", "instinct", "radeon", "graphics");

    /// Words that alone are no model.
    private static final Set<String> SERIES = Set.of("rtx", "gtx", "titan", "pro");

    private static final Pattern MIG = Pattern.compile("MIG (\\S+)$");

    private GpuTypes() {}

    /// The type of a whole GPU.
    public static String of(String product) {
        List<String> words = new ArrayList<>();
        for (String word : product.toLowerCase(Locale.ROOT).split("[^a-z0-9.+]+")) {
            if (word.isEmpty() || MAKERS.contains(word)) {
                continue;
            }
            words.add(word);
            if (!SERIES.contains(word)) {
                break;
            }
        }
        return words.isEmpty() ? "gpu" : String.join("_", words);
    }

    /// The type of a MIG instance, such as `a100_1g.5gb`.
    ///
    /// @param instance the instance's name, which ends in `MIG 1g.5gb`
    public static String ofInstance(String parentType, String instance) {
        Matcher matcher = MIG.matcher(instance);
        return parentType
                + "_"
                + (matcher.find() ? matcher.group(1).toLowerCase(Locale.ROOT) : "mig");
    }
}
