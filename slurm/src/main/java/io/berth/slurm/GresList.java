package io.berth.slurm;

import io.berth.contracts.Gres;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What `--gres` asks for on each node: a list of items, each with an optional `gres:` before it.
///
/// @param gpus whole GPUs, or instances of them; null is none
/// @param part of a GPU, as [GpuPartText] reads it, beside `gpus` what memory each of them has at
///   least (`gpumem:40G`); null is none
/// @param others as [GresText] reads them; null is none
public record GresList(@Nullable GpuSpec gpus, @Nullable String part, @Nullable String others) {

    static final GresList NONE = new GresList(null, null, null);

    /// @param list the items, or `none`
    public static GresList parse(String list) throws InvalidOption {
        if (list.equals("none")) {
            return NONE;
        }
        var parts = new ArrayList<String>();
        var others = new ArrayList<String>();
        var whole = new ArrayList<String>();
        for (String item : list.split(",", -1)) {
            if (item.isEmpty()) {
                throw InvalidOption.refused(GpuSpec.INVALID_TRES);
            }
            String gres = item.startsWith("gres:") ? item.substring(5) : item;
            if (GpuPartText.speaksOf(gres.split(":", 2)[0])) {
                parts.add(item);
            } else if (GpuSpec.speaksOf(gres)) {
                whole.add(gres);
            } else if (Gres.isName(gres.split(":", 2)[0])) {
                others.add(gres);
            } else {
                throw InvalidOption.refused(GresText.INVALID);
            }
        }
        GpuSpec gpus = GpuSpec.ofGres(whole);
        String part = joined(parts);
        if (part != null && GpuPartText.memoryAlone(part) == null && gpus != null) {
            throw InvalidOption.refused(GresText.INVALID);
        }
        String rest = GresText.text(GresText.wanted(joined(others)));
        return new GresList(gpus, part, rest.isEmpty() ? null : rest);
    }

    private static @Nullable String joined(List<String> items) {
        return items.isEmpty() ? null : String.join(",", items);
    }
}
