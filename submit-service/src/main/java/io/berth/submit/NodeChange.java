package io.berth.submit;

import io.berth.contracts.NodeName;
import io.berth.contracts.event.NodeRequest;
import io.berth.submit.Refusal.InvalidNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a node is to be from now on: the body of `POST /v1/nodes/{name}`. Null leaves a part as it
/// is.
///
/// @param state `drain`, `down` or `resume`, in any case
/// @param reason with `drain` and `down`
/// @param features beside those that the node shows by itself; empty is none
/// @param weight in whose order nodes are taken, in place of the cluster file's
public record NodeChange(
        @Nullable String state,
        @Nullable String reason,
        @Nullable List<String> features,
        @Nullable Integer weight) {

    private static final int MAX_FEATURES = 64;
    private static final Pattern FEATURE = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.:=-]{0,63}");

    /// What is asked of the node, at least one thing.
    public List<NodeRequest> requests(NodeName node, Caller caller) throws Refused {
        Permissions.ofAdmin(caller, "change nodes");
        var requests = new ArrayList<NodeRequest>();
        if (features != null) {
            requests.add(new NodeRequest.FeaturesSet(node, caller.user(), checkedFeatures()));
        }
        if (weight != null) {
            int given = (int) Checks.number("the weight", weight, 0, Integer.MAX_VALUE, 0);
            requests.add(new NodeRequest.WeightSet(node, caller.user(), given));
        }
        if (state != null) {
            requests.add(ofState(node, caller.user(), state.toLowerCase(Locale.ROOT)));
        }
        if (requests.isEmpty()) {
            throw Checks.invalid("nothing is to change: there are state, features and weight");
        }
        return requests;
    }

    private NodeRequest ofState(NodeName node, String user, String wanted) throws Refused {
        return switch (wanted) {
            case "drain" -> new NodeRequest.DrainRequested(node, user, why());
            case "down" -> new NodeRequest.DownRequested(node, user, why());
            case "resume", "undrain", "idle" -> new NodeRequest.ResumeRequested(node, user);
            default ->
                    throw new Refused(
                            new InvalidNode(
                                    "a node's state may be changed to drain, down or resume, and not"
                                            + " to "
                                            + Checks.quoted(wanted)));
        };
    }

    private String why() throws Refused {
        if (reason == null || reason.isBlank()) {
            throw Checks.invalid(
                    "You must specify a reason when DOWNING or DRAINING a node. Request denied");
        }
        return Checks.line("the reason", reason, Checks.MAX_NAME);
    }

    private List<String> checkedFeatures() throws Refused {
        List<String> given = features == null ? List.of() : features;
        for (String feature : given) {
            if (!FEATURE.matcher(feature).matches()) {
                throw Checks.invalid("feature " + Checks.quoted(feature) + " is no name");
            }
        }
        if (given.size() > MAX_FEATURES) {
            throw Checks.invalid(given.size() + " features are more than " + MAX_FEATURES);
        }
        return given;
    }
}
