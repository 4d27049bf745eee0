package io.berth.slurm;

import io.berth.contracts.GpuRequest;
import io.berth.contracts.GpuShare;
import io.berth.contracts.GpuSharing;
import io.berth.contracts.ShareRequest;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Reads a part of one GPU as `--gres` says it: `mps[:type]:N` for hundredths of it,
/// `shard[:type]:N` for shards. `gpumem:16G`, Berth's own, asks for so much of the GPU's memory,
/// alone (of one that is shared by MPS) or after one of them. Beside whole GPUs it is what each of
/// them has at least.
public final class GpuPartText {

    private static final String INVALID = "Invalid generic resource (gres) specification";
    private static final String MEMORY = "gpumem";

    private GpuPartText() {}

    /// Whether an item of `--gres` speaks of a part of a GPU.
    static boolean speaksOf(String name) {
        return name.equals(MEMORY) || sharing(name) != null;
    }

    /// @throws InvalidOption if the text is none
    public static GpuRequest parse(String text) throws InvalidOption {
        GpuSharing sharing = null;
        int parts = 0;
        String type = null;
        Long memory = null;
        for (String item : text.split(",", -1)) {
            String[] words = (item.startsWith("gres:") ? item.substring(5) : item).split(":", -1);
            String last = words[words.length - 1];
            GpuSharing named = sharing(words[0]);
            if (words[0].equals(MEMORY) && words.length == 2 && memory == null) {
                memory = mib(last);
            } else if (named != null && sharing == null && words.length <= 3) {
                sharing = named;
                parts = words.length == 1 ? unit(named) : parts(named, last);
                type = words.length == 3 ? typeName(words[1]) : null;
            } else {
                throw InvalidOption.refused(INVALID);
            }
        }
        var share = new ShareRequest(sharing == null ? GpuSharing.MPS : sharing, parts, memory);
        return GpuRequest.of(share, type);
    }

    /// In MiB, of a text that asks for nothing else; null for another one.
    ///
    /// @throws InvalidOption if the text is none
    public static @Nullable Long memoryAlone(String text) throws InvalidOption {
        ShareRequest share = parse(text).share();
        return share == null || share.parts() > 0 ? null : share.memoryMib();
    }

    private static @Nullable GpuSharing sharing(String name) {
        for (GpuSharing sharing : GpuSharing.values()) {
            if (sharing.gres().equals(name)) {
                return sharing;
            }
        }
        return null;
    }

    private static int unit(GpuSharing sharing) {
        return sharing == GpuSharing.MPS ? GpuSharing.THOUSANDTHS / 100 : 1;
    }

    private static int parts(GpuSharing sharing, String count) throws InvalidOption {
        OptionalLong number = Counts.plain(count);
        long most = sharing == GpuSharing.MPS ? 100 : GpuShare.MOST_SHARDS;
        if (number.isEmpty() || number.getAsLong() < 1 || number.getAsLong() > most) {
            throw InvalidOption.refused(
                    "%s: %s:%s is no part of one GPU, which has %s:1 to %s:%d"
                            .formatted(
                                    INVALID,
                                    sharing.gres(),
                                    count,
                                    sharing.gres(),
                                    sharing.gres(),
                                    most));
        }
        return (int) number.getAsLong() * unit(sharing);
    }

    private static String typeName(String type) throws InvalidOption {
        if (type.isEmpty()) {
            throw InvalidOption.refused(INVALID);
        }
        return type;
    }

    private static Long mib(String text) throws InvalidOption {
        OptionalLong mib = SlurmMemory.parseMib(text);
        if (mib.isEmpty() || mib.getAsLong() < 1) {
            throw InvalidOption.refused(
                    INVALID + ": '" + text + "' is no memory of a GPU, such as 16G");
        }
        return mib.getAsLong();
    }
}
