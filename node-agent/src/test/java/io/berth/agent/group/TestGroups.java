package io.berth.agent.group;

import java.io.IOException;
import java.util.List;

/// Groups for tests elsewhere.
public final class TestGroups {

    private TestGroups() {}

    /// Those of a host that has no controller of devices in version 1, but the others: it has the
    /// filter of version 2, where that is mounted.
    public static Groups filtering(String parent) throws IOException {
        List<String> mounts =
                HostGroups.mounts().stream()
                        .filter(mount -> !mount.split(" ")[3].contains("devices"))
                        .toList();
        return HostGroups.find(mounts, parent, MemoryRule.AS_GIVEN);
    }
}
