package io.berth.agent.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The virtual nodes that a text such as `2xdgx-a100,1xdgx-v100` declares: `dgx-a100-01`,
/// `dgx-a100-02`, `dgx-v100-01`.
public final class VirtualNodes {

    private static final Pattern PART = Pattern.compile("([1-9][0-9]{0,3})x([a-z0-9][a-z0-9-]*)");

    private VirtualNodes() {}

    /// @throws StartRefused if the text is no such list or a profile is unknown
    public static List<LocalNode> of(String text, Host host) {
        var nodes = new ArrayList<LocalNode>();
        Map<String, Integer> numbers = new TreeMap<>();
        for (String part : text.split(",", -1)) {
            Matcher matcher = PART.matcher(part.strip());
            if (!matcher.matches()) {
                throw new StartRefused(
                        "'%s' declares no virtual nodes: write COUNTxPROFILE, such as 4xdgx-a100"
                                .formatted(text));
            }
            GpuProfile profile = GpuProfile.named(matcher.group(2));
            for (int count = Integer.parseInt(matcher.group(1)); count > 0; count--) {
                int number = numbers.merge(profile.name(), 1, Integer::sum);
                String name = "%s-%02d".formatted(profile.name(), number);
                nodes.add(LocalNode.virtual(host, name, profile));
            }
        }
        return nodes;
    }
}
