package io.berth.slurm;

import io.berth.contracts.FeatureExpression;
import io.berth.slurm.GetOpt.Given;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Which nodes and licenses a submission asks for, while its options are read. Confined to one
/// call.
final class NodesDraft {

    private @Nullable String constraint;
    private @Nullable String nodeList;
    private @Nullable String excludedNodes;
    private @Nullable Boolean exclusive;
    private @Nullable String switches;
    private @Nullable String reservation;
    private @Nullable String licenses;

    void set(SbatchSetting setting, Given<SbatchOption> given) throws InvalidOption {
        switch (setting) {
            case CONSTRAINT -> constraint = feature(given);
            case EXCLUDE -> excludedNodes = hosts(given);
            case EXCLUSIVE -> exclusive = exclusive(given);
            case LICENSES -> {
                LicensesText.parse(given.required());
                licenses = given.required();
            }
            case NODELIST -> nodeList = hosts(given);
            case RESERVATION -> reservation = reservation(given);
            case SWITCHES -> {
                SwitchesText.parse(given.required());
                switches = given.required();
            }
            default -> throw new IllegalStateException("set " + setting + ": it names no nodes");
        }
    }

    private static String feature(Given<SbatchOption> given) throws InvalidOption {
        try {
            return FeatureExpression.parse(given.required()).toString();
        } catch (IllegalArgumentException e) {
            throw InvalidOption.refused(
                    "Batch job submission failed: Invalid feature specification");
        }
    }

    private static String hosts(Given<SbatchOption> given) throws InvalidOption {
        try {
            HostList.expand(given.required());
            return given.required();
        } catch (IllegalArgumentException e) {
            throw InvalidOption.refused("Batch job submission failed: Invalid node name specified");
        }
    }

    private static String reservation(Given<SbatchOption> given) throws InvalidOption {
        if (given.required().contains(",")) {
            throw InvalidOption.refused("a list of reservations is not supported yet");
        }
        return given.required();
    }

    private static boolean exclusive(Given<SbatchOption> given) throws InvalidOption {
        String value = given.value();
        if (value == null) {
            return true;
        }
        boolean known = value.equalsIgnoreCase("user") || value.equalsIgnoreCase("mcs");
        throw known
                ? InvalidOption.refused("--exclusive=" + value + " is not supported yet")
                : SbatchDraft.invalid(given);
    }

    /// The nodes asked for at least and at most, at least as many as are listed.
    NodeRange range(@Nullable NodeRange given) throws InvalidOption {
        List<String> listed = nodeList == null ? List.of() : HostList.expand(nodeList);
        if (listed.isEmpty()) {
            return given == null ? NodeRange.OPEN : given;
        }
        if (given == null || given.least() == null) {
            return new NodeRange(listed.size(), null);
        }
        int most = given.most() == null ? given.least() : given.most();
        if (most < listed.size()) {
            throw InvalidOption.refused(
                    "invalid number of nodes (-N " + listed.size() + "-" + most + ")");
        }
        return new NodeRange(Math.max(given.least(), listed.size()), given.most());
    }

    JobSubmission.Nodes nodes() {
        return new JobSubmission.Nodes(
                constraint, nodeList, excludedNodes, exclusive, switches, reservation, licenses);
    }
}
