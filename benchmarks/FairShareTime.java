import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.PriorityRules;
import io.berth.contracts.event.PriorityRules.FairShareRule;
import io.berth.contracts.event.PriorityRules.UsageReset;
import io.berth.core.fairshare.FairShare;
import io.berth.core.fairshare.Member;
import io.berth.core.fairshare.ShareTree;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/// How long one calculation of everybody's fair share takes, by each rule: 5,000 users in 250 accounts
/// of three levels, with random shares and usages.
///
/// java -cp contracts/target/classes:scheduling-core/target/classes benchmarks/FairShareTime.java
public class FairShareTime {

    private static final int ACCOUNTS = 250;
    private static final int USERS = 5_000;
    private static final int WARM_UP = 200;
    private static final int SAMPLES = 500;
    private static final Part PART = new Part(1, 1, 1);

    public static void main(String[] arguments) {
        var random = new Random(7);
        ShareTree tree = tree(random);
        Map<Member, Long> usage = new HashMap<>();
        for (Association it : tree.associations()) {
            usage.put(
                    new Member(it.account(), it.user()),
                    random.nextInt(4) == 0 ? 0 : random.nextLong(1L << 40));
        }
        System.out.println("rule                  mean ms   p99 ms   max ms");
        for (FairShareRule rule : FairShareRule.values()) {
            var rules = new PriorityRules(rule, 1, UsageReset.NONE, false, 0, Map.of());
            var nanos = new long[SAMPLES];
            for (int i = -WARM_UP; i < SAMPLES; i++) {
                long begun = System.nanoTime();
                if (FairShare.factors(tree, usage, rules).size() != USERS) {
                    throw new IllegalStateException("a user has no factor");
                }
                if (i >= 0) {
                    nanos[i] = System.nanoTime() - begun;
                }
            }
            Arrays.sort(nanos);
            System.out.printf(
                    Locale.ROOT,
                    "%-20s %8.2f %8.2f %8.2f%n",
                    rule,
                    Arrays.stream(nanos).average().orElseThrow() / 1e6,
                    nanos[SAMPLES * 99 / 100] / 1e6,
                    nanos[SAMPLES - 1] / 1e6);
        }
    }

    private static ShareTree tree(Random random) {
        var accounts = new ArrayList<Account>();
        for (int i = 0; i < ACCOUNTS; i++) {
            String parent = i < 10 ? null : "a" + random.nextInt(i < 60 ? 10 : 60);
            accounts.add(new Account(PART, "a" + i, parent, 1 + random.nextInt(100)));
        }
        var associations = new ArrayList<Association>();
        for (int i = 0; i < USERS; i++) {
            String account = "a" + random.nextInt(ACCOUNTS);
            associations.add(
                    new Association(PART, account, "u" + i, 1 + random.nextInt(100), true));
        }
        return new ShareTree(accounts, associations);
    }
}
