package io.berth.agent.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.contracts.Gres;
import io.berth.slurm.GresConf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GresFileTest {

    @TempDir Path folder;

    private List<Gres> read(String text) throws IOException {
        return read("gres.conf", text).others();
    }

    private GresConf read(String name, String text) throws IOException {
        return GresFile.read(Files.writeString(folder.resolve(name), text), "n1");
    }

    @Test
    void device_files_that_are_there_are_told() throws IOException {
        assertThat(read("Name=card Type=a File=/dev/null\nNodeName=n2 Name=card File=/dev/gone\n"))
                .containsExactly(new Gres("card", "a", 1, List.of("/dev/null")));
    }

    @Test
    void a_file_that_is_none_or_names_no_device_is_refused() {
        assertThatThrownBy(() -> GresFile.read(folder.resolve("none"), "n1"))
                .isInstanceOf(StartRefused.class)
                .hasMessage("berth.agent.gres-conf: there is no file %s", folder.resolve("none"));
        assertThatThrownBy(() -> read("Name=card File=/dev/no-such\n"))
                .isInstanceOf(StartRefused.class)
                .hasMessageEndingWith("there is no device file /dev/no-such");
        assertThatThrownBy(() -> read("Name=card File=" + folder + "\n"))
                .isInstanceOf(StartRefused.class)
                .hasMessageEndingWith(folder + " is no device file");
    }

    @Test
    void one_device_under_two_paths_is_refused() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("card"), Path.of("/dev/null"));

        assertThatThrownBy(() -> read("Name=card File=/dev/null\nName=other File=" + link + "\n"))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining(link + " is named twice");
    }

    @Test
    void yaml_says_the_same_as_lines() throws IOException {
        GresConf lines =
                read(
                        "gres.conf",
                        """
                        AutoDetect=off
                        Name=card Type=a File=/dev/null
                        Name=gpu Type=a100 File=/dev/nvidia0 Cores=0-3,8 Links=-1,4
                        NodeName=n2 Name=nic
                        """);
        GresConf yaml =
                read(
                        "gres.yaml",
                        """
                        gres:
                          - {AutoDetect: off}
                          - name: card
                            type: a
                            file: /dev/null
                          - name: gpu
                            type: a100
                            file: [/dev/nvidia0]
                            cores: 0-3,8
                            links: [-1, 4]
                          - {nodename: n2, name: nic}
                        """);

        assertThat(yaml).usingRecursiveComparison().ignoringFields("gpus.place").isEqualTo(lines);
        assertThat(yaml.gpus().getFirst().place())
                .isEqualTo(
                        "%s:6: name=gpu type=a100 file=/dev/nvidia0 cores=0-3,8 links=-1,4"
                                .formatted(folder.resolve("gres.yaml")));
    }

    @Test
    void what_has_several_device_files_is_there_while_all_of_them_are() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("control"), Path.of("/dev/zero"));
        GresConf conf = read("gres.conf", "Name=dpu MultipleFiles=/dev/null," + link + "\n");
        Gres dpu = new Gres("dpu", null, 1, List.of("/dev/null"));

        assertThat(GresFile.present(conf.others(), conf)).containsExactly(dpu);
        assertThat(GresFile.lost(List.of(dpu), List.of(dpu), conf)).isEmpty();

        Files.delete(link);
        assertThat(GresFile.present(conf.others(), conf)).isEmpty();
        assertThat(GresFile.lost(List.of(dpu), List.of(dpu), conf)).hasValue(link.toString());
        assertThatThrownBy(() -> read("Name=dpu MultipleFiles=/dev/null,/dev/null\n"))
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("/dev/null is named twice");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | 1: not what it must be",
                "gpus: [] | 1: not what it must be",
                "gres: [gpu] | 1: not what it must be",
                "gres: [{name: {a: b}}] | 1: not what it must be",
                "gres: [{name: gpu, speed: 3}] | 1: name=gpu speed=3: speed is none of",
                "'gres: [{name: gpu, type: \"a' | 1: "
            })
    void yaml_that_is_no_such_list_is_refused(String text, String why) {
        assertThatThrownBy(() -> read("gres.yaml", text))
                .isInstanceOf(StartRefused.class)
                .hasMessageStartingWith(
                        "berth.agent.gres-conf: %s:%s", folder.resolve("gres.yaml"), why);
    }

    @Test
    void a_device_file_that_is_gone_is_given_out_no_more_and_cannot_be_had() {
        Gres nic = new Gres("nic", null, 2);
        Gres cards = new Gres("card", "a", 2, List.of("/dev/no-such", "/dev/null"));
        Gres gone = new Gres("other", null, 1, List.of("/dev/none"));

        List<Gres> there = GresFile.present(List.of(nic, cards, gone), GresConf.NONE);

        assertThat(there).containsExactly(nic, new Gres("card", "a", 1, List.of("/dev/null")));
        assertThat(GresFile.lost(List.of(cards), List.of(cards), GresConf.NONE))
                .hasValue("/dev/no-such");
        assertThat(GresFile.lost(there, there, GresConf.NONE)).isEmpty();
        assertThat(GresFile.lost(there, List.of(nic), GresConf.NONE)).hasValue("/dev/null");
    }
}
