package io.berth.slurm;

import io.berth.contracts.GpuRequest;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// GPUs as an option names them: how many, and of which type if that matters.
public record GpuSpec(int count, @Nullable String type) {

    private static final String INVALID_GRES = "Invalid generic resource (gres) specification";
    static final String INVALID_TRES =
            "Batch job submission failed: Invalid Trackable RESource (TRES) specification";

    /// One item of `--gres` that speaks of whole GPUs: `gpu[:type][:count]` or
    /// `mig:profile[:count]`.
    ///
    /// @param before what items before it asked for; null is none
    static @Nullable GpuSpec ofGres(String item, @Nullable GpuSpec before) throws InvalidOption {
        int colon = item.indexOf(':');
        return colon < 0 ? new GpuSpec(1, null) : of(item.substring(colon + 1), before);
    }

    /// Whether an item of `--gres` speaks of whole GPUs.
    static boolean speaksOf(String item) {
        return item.equals("gpu") || item.startsWith("gpu:") || isInstance(item);
    }

    /// Whether it is `mig:profile[:count]`.
    private static boolean isInstance(String gres) {
        String[] words = gres.split(":", -1);
        return words[0].equals("mig") && words.length > 1 && GpuRequest.isProfile(words[1]);
    }

    /// The GPUs of `--gpus` and its kin: a list of `[type:]count` or `type`.
    static @Nullable GpuSpec ofList(String list) throws InvalidOption {
        GpuSpec found = null;
        for (String item : list.split(",", -1)) {
            if (item.isEmpty()) {
                throw InvalidOption.refused(INVALID_TRES);
            }
            found = of(item, found);
        }
        return found;
    }

    /// One item of a list. Of several with the same type the last one counts.
    private static GpuSpec of(String text, @Nullable GpuSpec before) throws InvalidOption {
        int colon = text.indexOf(':');
        if (text.endsWith(":") || text.startsWith(":") || colon != text.lastIndexOf(':')) {
            throw InvalidOption.refused(INVALID_GRES);
        }
        boolean profile = colon < 0 && GpuRequest.isProfile(text);
        boolean countOnly = colon < 0 && !profile && Character.isDigit(text.charAt(0));
        boolean typeOnly = colon < 0 && !countOnly;
        String type = countOnly ? null : typeOnly ? text : text.substring(0, colon);
        int count = typeOnly ? 1 : count(text.substring(colon + 1));
        if (before != null && (before.type == null) != (type == null)) {
            throw InvalidOption.refused(
                    "Invalid GRES specification (with and without type identification)");
        }
        if (before != null && type != null && !type.equals(before.type)) {
            throw InvalidOption.refused("GPUs of two types in one job are not supported yet");
        }
        return new GpuSpec(count, type);
    }

    private static int count(String text) throws InvalidOption {
        OptionalLong count = Counts.withUnit(text);
        if (count.isEmpty() || count.getAsLong() > Integer.MAX_VALUE) {
            throw InvalidOption.refused(INVALID_TRES);
        }
        return (int) count.getAsLong();
    }
}
