package io.berth.standalone.mesh;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TableTest {

    @Test
    void columns_are_as_wide_as_their_widest_cell() {
        var table = new Table("JOB", "USER");
        table.row("1", "alice");
        table.row("1234", "");

        assertThat(table.toString()).isEqualTo("JOB   USER\n1     alice\n1234\n");
    }
}
