package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.Blocks;
import io.berth.contracts.Inventory;
import io.berth.contracts.NodeName;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Cluster;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Switch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodePlacesTest {
    private static final NodeName DGX = Samples.DGX.node();
    private static final NodeName PLAIN = Samples.PLAIN.node();
    private static final Inventory NO_FABRIC = Samples.DGX.inventory();

    @Test
    void a_node_is_in_the_block_and_right_under_the_switch_that_name_it() {
        Blocks blocks = new Blocks(List.of(new Blocks.Block("rack-1", List.of(DGX))), List.of());
        var entries = new ArrayList<ConfigEntry>();
        for (ConfigEntry entry : Samples.configEntries()) {
            entries.add(entry instanceof Cluster it ? it.with(to -> to.blocks = blocks) : entry);
        }
        var part = new Part(1, 1, 1);
        entries.add(new Switch(part, "leaf", List.of(DGX.value()), List.of()));
        entries.add(new Switch(part, "spine", List.of(), List.of("leaf")));

        var places = new NodePlaces(Configuration.of(1, entries));

        assertThat(places.block(DGX, NO_FABRIC)).isEqualTo("rack-1");
        assertThat(places.leafSwitch(DGX)).isEqualTo("leaf");
        assertThat(places.block(PLAIN, NO_FABRIC)).isNull();
        assertThat(places.leafSwitch(PLAIN)).isNull();
    }

    @Test
    void without_a_topology_a_node_is_nowhere() {
        var places = new NodePlaces(null);

        assertThat(places.block(DGX, NO_FABRIC)).isNull();
        assertThat(places.leafSwitch(DGX)).isNull();
    }
}
