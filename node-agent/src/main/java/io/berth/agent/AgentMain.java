package io.berth.agent;

import io.berth.agent.session.JobEnd;
import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import java.util.Arrays;
import java.util.List;

/// The process: the agent, or with `inventory` as first argument a look at this host, or with
/// `session` the command of that name in jobs of a native agent.
@QuarkusMain
public final class AgentMain {

    private AgentMain() {}

    public static void main(String... arguments) throws Exception {
        List<String> words = Arrays.asList(arguments);
        if (!words.isEmpty() && words.getFirst().equals(JobEnd.WORD)) {
            JobEnd.main(words.subList(1, words.size()));
        }
        if (!words.isEmpty() && words.getFirst().equals("inventory")) {
            System.exit(
                    InventoryCommand.run(words.subList(1, words.size()), System.out, System.err));
        }
        Quarkus.run(arguments);
    }
}
