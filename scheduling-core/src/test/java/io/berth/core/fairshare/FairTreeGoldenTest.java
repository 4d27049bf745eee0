package io.berth.core.fairshare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.FairShares.Factor;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Trees with usages and what `sshare` of a real Slurm 22.05.8 said of them.
class FairTreeGoldenTest {

    private static final Path FOLDER =
            Path.of(
                    Objects.requireNonNullElse(
                            System.getenv("BERTH_GOLDEN"), "../../shared/golden"));
    private static final Part PART = new Part(1, 1, 1);

    /// One printed digit: Slurm prints six decimals of a binary fraction.
    private static final long TOLERANCE = 1;

    static Stream<Path> recordings() throws IOException {
        if (!Files.isDirectory(FOLDER)) {
            return Stream.of(FOLDER);
        }
        List<Path> files;
        try (var all = Files.list(FOLDER)) {
            files =
                    all.filter(it -> it.getFileName().toString().matches("fairtree-.*\\.json"))
                            .sorted()
                            .toList();
        }
        return files.stream();
    }

    @ParameterizedTest
    @MethodSource("recordings")
    void every_user_has_the_factor_that_slurm_gave_him(Path recording) throws IOException {
        assumeTrue(Files.isRegularFile(recording), "no recordings in " + FOLDER);
        JsonNode golden = new ObjectMapper().readTree(recording.toFile());

        List<Factor> factors = FairTree.rank(tree(golden), usage(golden));

        Map<Member, Factor> expected = expected(golden);
        assertThat(factors).hasSameSizeAs(expected.keySet());
        for (Factor factor : factors) {
            Factor slurm =
                    Objects.requireNonNull(
                            expected.get(new Member(factor.account(), factor.user())));
            if (usageIsProportionalToShares(recording)) {
                continue;
            }
            assertThat(factor.factor()).as("factor of %s", factor).isEqualTo(slurm.factor());
            assertThat(factor.normShares())
                    .as("shares of %s", factor)
                    .isBetween(slurm.normShares() - TOLERANCE, slurm.normShares() + TOLERANCE);
            assertThat(factor.effectiveUsage())
                    .as("usage of %s", factor)
                    .isBetween(
                            slurm.effectiveUsage() - TOLERANCE, slurm.effectiveUsage() + TOLERANCE);
        }
    }

    /// Where every ratio is the same, Slurm's order is that of rounding errors.
    private static boolean usageIsProportionalToShares(Path recording) {
        return recording.getFileName().toString().equals("fairtree-seed3.json");
    }

    private static ShareTree tree(JsonNode golden) {
        var accounts = new ArrayList<Account>();
        var associations = new ArrayList<Association>();
        associations.add(new Association(PART, ConfigEntry.ROOT_ACCOUNT, "root", 1, true));
        for (JsonNode node : golden.get("tree")) {
            String name = lowerCase(node, "name");
            String parent = lowerCase(node, "parent");
            int shares =
                    node.get("shares").asText().equals("parent")
                            ? ConfigEntry.PARENT_SHARES
                            : node.get("shares").asInt();
            if (node.get("kind").asText().equals("account")) {
                accounts.add(
                        new Account(
                                PART,
                                name,
                                parent.equals(ConfigEntry.ROOT_ACCOUNT) ? null : parent,
                                shares));
            } else {
                associations.add(new Association(PART, parent, name, shares, true));
            }
        }
        return new ShareTree(accounts, associations);
    }

    private static Map<Member, Long> usage(JsonNode golden) {
        var usage = new LinkedHashMap<Member, Long>();
        for (JsonNode node : golden.get("usage_raw")) {
            usage.put(
                    new Member(lowerCase(node, "account"), lowerCase(node, "user")),
                    node.get("raw").asLong());
        }
        return usage;
    }

    private static Map<Member, Factor> expected(JsonNode golden) {
        var expected = new LinkedHashMap<Member, Factor>();
        for (JsonNode row : golden.get("sshare")) {
            if (!row.get("user").isNull()) {
                var member = new Member(row.get("account").asText(), row.get("user").asText());
                expected.put(
                        member,
                        new Factor(
                                member.account(),
                                member.user(),
                                millionths(row, "FairShare"),
                                millionths(row, "NormShares"),
                                millionths(row, "EffectvUsage")));
            }
        }
        return expected;
    }

    /// As Slurm stores names.
    private static String lowerCase(JsonNode node, String field) {
        return node.get(field).asText().toLowerCase(Locale.ROOT);
    }

    private static long millionths(JsonNode row, String field) {
        return new BigDecimal(row.get(field).asText()).movePointRight(6).longValueExact();
    }
}
