package io.berth.submit;

import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.License;
import io.berth.slurm.InvalidOption;
import io.berth.slurm.LicensesText;
import io.berth.submit.Refusal.InvalidLicense;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The licenses that a submission asks for, checked against those of the cluster.
final class RequestedLicenses {

    private RequestedLicenses() {}

    /// How many of each name.
    ///
    /// @param text as `--licenses`; null is none
    /// @throws Refused if there is no such license, or never so many
    static Map<String, Integer> of(Configuration configuration, @Nullable String text)
            throws Refused {
        if (text == null || text.isEmpty()) {
            return Map.of();
        }
        Map<String, Integer> asked;
        try {
            asked = LicensesText.parse(text);
        } catch (InvalidOption e) {
            throw refused(Checks.quoted(text));
        }
        for (var one : asked.entrySet()) {
            License license = configuration.licenses().get(one.getKey());
            if (license == null) {
                throw refused(
                        "there is no license %s; there are: %s"
                                .formatted(
                                        one.getKey(),
                                        Checks.listed(configuration.licenses().keySet())));
            }
            if (license.count() < one.getValue()) {
                throw refused(
                        "%d of %s, and there are %d"
                                .formatted(one.getValue(), one.getKey(), license.count()));
            }
        }
        return asked;
    }

    private static Refused refused(String why) {
        return new Refused(new InvalidLicense("Invalid license specification: " + why));
    }
}
