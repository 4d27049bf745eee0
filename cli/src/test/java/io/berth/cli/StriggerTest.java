package io.berth.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.cli.CommandRun.Outcome;
import io.berth.cli.FakeMesh.Reply;
import io.berth.cli.FakeMesh.Request;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StriggerTest {

    private final FakeMesh mesh =
            new FakeMesh()
                    .on("POST", "/v1/triggers", new Reply(201, "{\"id\":123}"))
                    .on("DELETE", "/v1/triggers/123", new Reply(204, ""))
                    .on("DELETE", "/v1/triggers/125", new Reply(204, ""))
                    .on(
                            "GET",
                            "/v1/triggers",
                            """
                            {"triggers":[
                             {"id":123,"user":"joe","occasion":"time","job":1235,"jobName":"1230_5",
                              "offsetSeconds":-600,"permanent":false,"program":["/home/joe/clean_up","-f"]},
                             {"id":125,"user":"root","occasion":"down","nodes":"*","offsetSeconds":0,
                              "permanent":true,"program":["/sbin/notify"]}]}
                            """);

    @AfterEach
    void close() {
        mesh.close();
    }

    private Outcome run(String... words) {
        return new CommandRun(mesh).run(words);
    }

    private List<String> deleted() {
        return mesh.requests().stream()
                .filter(it -> it.method().equals("DELETE"))
                .map(Request::path)
                .toList();
    }

    @Test
    void triggers_are_listed_in_slurms_columns() {
        assertThat(run("strigger", "--get"))
                .isEqualTo(
                        new Outcome(
                                0,
                                """
                                TRIG_ID RES_TYPE   RES_ID TYPE                                OFFSET USER     FLAGS PROGRAM
                                    123 job          1235 time                                  -600 joe            /home/joe/clean_up -f
                                    125 node            * down                                     0 root     PERM  /sbin/notify
                                """,
                                ""));
    }

    @ParameterizedTest
    @CsvSource({
        "--jobid=1235, 123",
        "-j 1230_5, 123",
        "--user=root, 125",
        "-n, 125",
        "--id=123, 123",
        "--down, 125",
        "--fini, ''",
        "-j 9, ''",
    })
    void a_list_is_narrowed(String options, String ids) {
        var words = new ArrayList<>(List.of("strigger", "--get", "-N"));
        words.addAll(List.of(options.split(" ")));

        assertThat(new CommandRun(mesh).run(words).out().strip().replaceFirst("(\\d+) .*", "$1"))
                .isEqualTo(ids);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--jobid=17 --fini -p /bin/a                     |"
                        + " \"occasion\":\"fini\",\"job\":\"17\",\"offsetSeconds\":0,\"permanent\":false,\"program\":[\"/bin/a\"]",
                "-j 17_4 -t -o -600 -p /bin/a                    |"
                        + " \"occasion\":\"time\",\"job\":\"17_4\",\"offsetSeconds\":-600,\"permanent\":false,\"program\":[\"/bin/a\"]",
                "--node --down --flags=PERM -p /bin/a            |"
                        + " \"occasion\":\"down\",\"nodes\":\"*\",\"offsetSeconds\":0,\"permanent\":true,\"program\":[\"/bin/a\"]",
                "--node=gpu-[1-2] --idle --offset=600 -p /bin/a  |"
                        + " \"occasion\":\"idle\",\"nodes\":\"gpu-[1-2]\",\"offsetSeconds\":600,\"permanent\":false,\"program\":[\"/bin/a\"]",
            })
    void a_trigger_is_set_as_the_options_say(String options, String asked) {
        var words = new ArrayList<>(List.of("strigger", "--set"));
        words.addAll(List.of(options.split(" ")));

        Outcome outcome = new CommandRun(mesh).with("BERTH_USER", "operator").run(words);

        assertThat(outcome).isEqualTo(new Outcome(0, "", ""));
        assertThat(mesh.requests().getLast().body()).isEqualTo("{" + asked + "}");
    }

    @Test
    void a_program_may_have_arguments_and_an_admin_sets_it_for_himself() {
        Outcome outcome = run("strigger", "-v", "--set", "-n", "-u", "-p", "/bin/a -x  'b'");

        assertThat(outcome).isEqualTo(new Outcome(0, "", "strigger: trigger 123 set\n"));
        assertThat(mesh.requests().getLast().body())
                .contains("\"program\":[\"/bin/a\",\"-x\",\"'b'\"]", "\"user\":\"alice\"");
    }

    @Test
    void triggers_are_cleared_by_number_job_or_user() {
        assertThat(run("strigger", "-Q", "--clear", "--user=root", "--node=gpu-07"))
                .isEqualTo(new Outcome(0, "", ""));
        assertThat(run("strigger", "--clear", "--id=123")).isEqualTo(new Outcome(0, "", ""));
        assertThat(run("strigger", "--clear", "--user=root")).isEqualTo(new Outcome(0, "", ""));

        assertThat(deleted()).containsExactly("/v1/triggers/123", "/v1/triggers/125");
        assertThat(run("strigger", "--clear", "-i", "9"))
                .isEqualTo(
                        new Outcome(1, "", "strigger: error: there is no such trigger of yours\n"));
        assertThat(run("strigger", "--clear", "-Q", "-i", "9")).isEqualTo(new Outcome(0, "", ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                                     | You must use exactly one of the following"
                        + " options: --set, --get or --clear",
                "--set --get                          | You must use exactly one of the following"
                        + " options: --set, --get or --clear",
                "--clear                              | You must specify a --id, --jobid, or --user"
                        + " to clear",
                "--set -p /bin/a                      | You must specify a trigger (--down, --up,"
                        + " --drained, --idle, --fail, --time or --fini)",
                "--set --fini -j 17                   | You must specify a --program value",
                "--set --fini -j 17 -p a              | The --program value must start with \"/\"",
                "--set --fini -p /bin/a               | You must specify a --jobid value",
                "--set --down -j 17 -p /bin/a         | --down is for nodes: name them by --node",
                "--set --fini --time -j 17 -p /bin/a  | --fini and --time are triggers of their"
                        + " own: set one after the other",
                "--set --fini -j 17 -n -p /bin/a      | --jobid and --node cannot be used together",
                "--set --fini -j x -p /bin/a          | Invalid jobid x",
                "--set --fini -j 17 -o 1h -p /bin/a   | The --offset parameter must be between"
                        + " +/-32000",
                "--set --fini -j 17 -o 32001 -p /bin/a | The --offset parameter must be between"
                        + " +/-32000",
                "--set --down --flags=ONCE -p /bin/a  | Invalid flags ONCE",
                "--set --fini -j 17 -p /bin/a --user=bob | --user is for --get and --clear",
                "--set --fini -j 17 -p /bin/a -i 3    | --id is for --get and --clear",
                "--get --offset=10                    | --offset is for --set",
                "--clear -i 3 -p /bin/a               | --program is for --set",
                "--get --flags=PERM                   | --flags is for --set",
                "--get gpu-01                         | gpu-01 belongs to no option: nodes follow"
                        + " their option, as --node=gpu-01 or -ngpu-01",
            })
    void what_makes_no_sense_is_refused_in_a_line(String options, String line) {
        var words = new ArrayList<>(List.of("strigger"));
        if (options != null) {
            words.addAll(List.of(options.split(" +")));
        }

        assertThat(new CommandRun(mesh).run(words))
                .isEqualTo(new Outcome(1, "", "strigger: error: " + line + "\n"));
        assertThat(mesh.requests()).isEmpty();
    }

    @Test
    void the_end_of_a_job_that_is_over_is_waited_for_by_nobody() {
        mesh.on(
                "POST",
                "/v1/triggers",
                Reply.problem(409, "job_not_pending", "Job/step already completing or completed"));

        assertThat(run("strigger", "--set", "--fini", "--jobid=17", "-p", "/bin/a"))
                .isEqualTo(
                        new Outcome(
                                1,
                                "",
                                "strigger: error: Job/step already completing or completed\n"));
    }

    @Test
    void the_gateways_word_is_passed_on() {
        mesh.on("POST", "/v1/triggers", Reply.problem(403, "not_allowed", "only an operator may"));

        assertThat(run("strigger", "--set", "-n", "-d", "-p", "/bin/a"))
                .isEqualTo(new Outcome(1, "", "strigger: error: only an operator may\n"));
    }
}
