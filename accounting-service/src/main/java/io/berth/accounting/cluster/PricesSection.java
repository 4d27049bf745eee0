package io.berth.accounting.cluster;

import io.berth.contracts.event.ConfigEntry.Prices;
import java.util.Map;
import java.util.TreeMap;

/// Prices of a cluster file.
final class PricesSection {

    private PricesSection() {}

    static Prices of(YamlMap map) throws InvalidClusterFile {
        map.only("cpu", "gib", "gpu", "gpuTypes");
        Map<String, Long> types = new TreeMap<>();
        YamlMap byType = map.map("gpuTypes");
        for (String type : byType.names()) {
            types.put(type, byType.thousandths(type));
        }
        return new Prices(
                map.thousandths("cpu"), map.thousandths("gib"), map.thousandths("gpu"), types);
    }
}
