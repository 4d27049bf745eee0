package io.berth.cli;

import io.berth.client.JsonObject;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Whose place a waiting job needs, and who does not give way for it, in words.
final class WhyPreemption {

    private static final Map<String, String> EXEMPTIONS =
            Map.of(
                    "OWN_POLICY", "this job preempts nobody",
                    "NOT_BELOW", "of no lower standing",
                    "GUARANTEED", "within the guarantee of their account",
                    "GUARANTEE_USED", "this job's account has no room within its guarantee",
                    "MODE_OFF", "never preempted",
                    "EXEMPT_TIME", "exempt",
                    "ENDING", "ending or suspended already",
                    "MAX_VICTIMS", "more than one job may preempt",
                    "NO_ROOM", "no room in their place either");

    private WhyPreemption() {}

    /// `Preempts job 3.`, `Needs the place of job 1 (exempt until …).`, `Not preempted: jobs 4, 5
    /// (of no lower standing), job 6 (never preempted).`; nothing where nobody gives way to
    /// anybody.
    static String text(JsonObject preemption, ZoneId zone) {
        var preempted = new ArrayList<Long>();
        var needed = new ArrayList<String>();
        for (JsonObject victim : preemption.objects("victims")) {
            if (victim.has("exemption")) {
                needed.add(jobs(List.of(victim.number("job")), 0) + exemption(victim, zone));
            } else {
                preempted.add(victim.number("job"));
            }
        }
        List<String> exempt =
                preemption.objects("exempt").stream()
                        .map(it ->
                                jobs(it.numbers("named"), it.number("jobs")) + exemption(it, zone))
                        .toList();
        return line("Preempts ", preempted.isEmpty() ? List.of() : List.of(jobs(preempted, 0)))
                + line("Needs the place of ", needed)
                + line("Not preempted: ", exempt);
    }

    private static String line(String begin, List<String> items) {
        return items.isEmpty() ? "" : begin + String.join(", ", items) + ".\n";
    }

    /// @param all how many there are
    private static String jobs(List<Long> named, long all) {
        String ids = String.join(", ", named.stream().map(String::valueOf).toList());
        long more = all - named.size();
        return (named.size() == 1 ? "job " : "jobs ")
                + ids
                + (more > 0 ? " and " + more + " more" : "");
    }

    private static String exemption(JsonObject of, ZoneId zone) {
        String code = of.text("exemption");
        String until = of.has("until") ? " until " + Dates.iso(of.number("until"), zone, "") : "";
        return " (" + EXEMPTIONS.getOrDefault(code, code) + until + ")";
    }
}
