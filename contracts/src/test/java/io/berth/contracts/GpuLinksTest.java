package io.berth.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.GpuLinks.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuLinksTest {

    @ParameterizedTest
    @CsvSource({
        "0,0,SELF,0,false",
        "0,1,NVLINK,12,true",
        "1,2,SYS,0,false",
        "2,0,UNKNOWN,0,false",
        "2,3,XGMI,0,true"
    })
    void a_word_of_the_matrix_is_a_path_and_its_nvlinks(
            int from, int to, Path path, int nvlinks, boolean linked) {
        var links =
                new GpuLinks(List.of("X NV12 ? ?", "NV12 X SYS ?", "? SYS X XGMI", "? ? XGMI X"));

        assertThat(links.path(from, to)).isEqualTo(path);
        assertThat(links.nvlinks(from, to)).isEqualTo(nvlinks);
        assertThat(links.linked(from, to)).isEqualTo(linked);
    }

    @ParameterizedTest
    @CsvSource({"X NV0,'NV0'", "X,'1 words'", "X nv1,'nv1'", "X  PIX,''"})
    void other_texts_are_no_matrix(String row, String named) {
        assertThatThrownBy(() -> new GpuLinks(List.of(row, "PIX X")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(named);
    }

    @Test
    void an_inventory_has_links_for_all_its_gpus_or_none() {
        var gpu = new Gpu(0, "GPU-1", "a100", "A100", 0, 40_960, 0);
        var links = new GpuLinks(List.of("X PIX", "PIX X"));

        assertThatThrownBy(() ->
                        new Inventory(
                                1,
                                1,
                                1,
                                1,
                                1,
                                List.of(gpu),
                                List.of(),
                                false,
                                null,
                                "",
                                "",
                                links,
                                null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("links of 2 GPUs for 1");
    }
}
