package io.berth.core.fairshare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.contracts.event.ConfigEntry;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.Association;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.PriorityRules;
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

    private static final long MILLION = 1_000_000;
    private static final BigDecimal LAST_DIGIT = new BigDecimal("0.000001");
    private static final String NO_USER = "";

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
    void everybody_stands_as_in_slurm(Path recording) throws IOException {
        assumeTrue(Files.isRegularFile(recording), "no recordings in " + FOLDER);
        JsonNode golden = new ObjectMapper().readTree(recording.toFile());

        Map<List<String>, Standing> standings = standings(golden);

        assertThat(standings).hasSameSizeAs(golden.get("sshare"));
        for (JsonNode row : golden.get("sshare")) {
            Standing ours = Objects.requireNonNull(standings.get(key(row)), "no " + row);
            assertThat(ours.depth()).as("depth in %s", row).isEqualTo(row.get("depth").asInt());
            assertEqual(row, "NormShares", ours.normShares());
            assertEqual(row, "RawUsage", ours.usage() * MILLION);
            assertEqual(row, "NormUsage", ours.normUsage());
            assertEqual(row, "EffectvUsage", ours.effectiveUsage());
            assertThat(printed(ours.levelFs(), row))
                    .as("LevelFS of %s", row)
                    .isEqualTo(row.get("LevelFS").asText());
            if (ours.user() != null && !usageIsProportionalToShares(recording)) {
                assertThat(ours.factor())
                        .as("FairShare of %s", row)
                        .isEqualTo(millionths(row, "FairShare"));
            }
        }
    }

    private static Map<List<String>, Standing> standings(JsonNode golden) {
        var standings = new LinkedHashMap<List<String>, Standing>();
        FairShare.standings(tree(golden), usage(golden), PriorityRules.DEFAULT)
                .forEach(it ->
                        standings.put(
                                List.of(it.account(), it.user() == null ? NO_USER : it.user()),
                                it));
        return standings;
    }

    private static List<String> key(JsonNode row) {
        String user = row.get("user").isNull() ? NO_USER : row.get("user").asText();
        return List.of(row.get("account").asText(), user);
    }

    /// Slurm prints six decimals of a binary fraction, we round to six: they may differ by one in
    /// the last.
    private static void assertEqual(JsonNode row, String field, long ours) {
        if (!row.get(field).asText().isEmpty()) {
            long slurms = millionths(row, field);
            assertThat(ours).as("%s of %s", field, row).isBetween(slurms - 1, slurms + 1);
        }
    }

    /// As `sshare -l` prints it, or as Slurm's own where they differ in the last digit only: Slurm
    /// divides numbers of 80 bits, we of 64.
    private static String printed(double levelFs, JsonNode row) {
        if (Double.isNaN(levelFs)) {
            return "";
        }
        if (Double.isInfinite(levelFs)) {
            return "inf";
        }
        String slurms = row.get("LevelFS").asText();
        String ours = String.format(Locale.ROOT, "%.6f", levelFs);
        boolean close =
                slurms.matches("[0-9.]+")
                        && new BigDecimal(slurms)
                                        .subtract(new BigDecimal(ours))
                                        .abs()
                                        .compareTo(
                                                new BigDecimal(slurms)
                                                        .movePointLeft(15)
                                                        .max(LAST_DIGIT))
                                <= 0;
        return close ? slurms : ours;
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

    /// As Slurm stores names.
    private static String lowerCase(JsonNode node, String field) {
        return node.get(field).asText().toLowerCase(Locale.ROOT);
    }

    private static long millionths(JsonNode row, String field) {
        return new BigDecimal(row.get(field).asText()).movePointRight(6).longValueExact();
    }
}
