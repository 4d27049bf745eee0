package io.berth.simulator;

import static io.berth.simulator.Options.flag;
import static io.berth.simulator.Options.valued;

import io.berth.core.packing.Policies;
import io.berth.simulator.Options.Option;
import io.berth.simulator.pack.PackResult;
import io.berth.simulator.pack.Packing;
import io.berth.simulator.trace.ArrivalOrders;
import io.berth.simulator.trace.BadLines;
import io.berth.simulator.trace.BadTrace;
import io.berth.simulator.trace.JobTrace;
import io.berth.simulator.trace.TraceJob;
import io.berth.simulator.trace.TraceNode;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// `berth sim pack`: what packing policies leave unallocated of a cluster's GPUs.
final class PackCommand {

    private static final List<Option> OPTIONS =
            List.of(
                    valued("jobs", "the list of jobs: CSV, .gz"),
                    valued("orders", "the orders in which they arrive, by seed: CSV, .gz"),
                    valued("nodes", "the node list: CSV"),
                    valued(
                            "policy",
                            "policies, with commas; of " + String.join(", ", Policies.names())),
                    valued("seeds", "seeds of the orders, with commas; all if not given"),
                    valued("bad-lines", "refuse, as if not given, or skip"),
                    flag("json", "JSON"),
                    flag("help", "this text"));

    private final PrintStream out;
    private final PrintStream err;

    PackCommand(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    void run(List<String> words) throws SimFailure, BadTrace {
        Options options = Options.of(OPTIONS, words);
        if (options.has("help")) {
            out.print("usage: berth sim pack --jobs F --orders F --nodes F [OPTION...]\n\n");
            OPTIONS.forEach(option -> out.print(option.line()));
            return;
        }
        var policies = new ArrayList<String>();
        for (String name : options.value("policy", "default").split(",", -1)) {
            policies.add(Options.allowed("policy", name, Policies.names()));
        }
        BadLines bad = options.badLines();
        Path file = options.file("jobs");
        Path orderFile = options.file("orders");
        Path nodeFile = options.file("nodes");
        List<TraceJob> jobs = JobTrace.read(file, bad);
        List<TraceNode> nodes = TraceNode.read(nodeFile, bad);
        ArrivalOrders orders = ArrivalOrders.read(orderFile, jobs.size());
        bad.report(err);
        PackResult result = new Packing(jobs, nodes).run(policies, seeds(options, orders));
        out.print(options.has("json") ? result.json(file) : result.text(file));
    }

    private static SortedMap<Integer, int[]> seeds(Options options, ArrivalOrders orders)
            throws SimFailure {
        String wanted = options.value("seeds");
        if (wanted == null) {
            return orders.bySeed();
        }
        var chosen = new TreeMap<Integer, int[]>();
        for (String word : wanted.split(",", -1)) {
            List<String> known = orders.bySeed().keySet().stream().map(String::valueOf).toList();
            int seed = Integer.parseInt(Options.allowed("seeds", word, known));
            int[] order = orders.bySeed().get(seed);
            if (order != null) {
                chosen.put(seed, order);
            }
        }
        return chosen;
    }
}
