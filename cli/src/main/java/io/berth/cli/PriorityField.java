package io.berth.cli;

import io.berth.client.JsonObject;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A column of `sprio`. A capital letter shows points, the small one the factor that they come
/// from.
///
/// Source: sprio(1), "--format".
enum PriorityField {
    JOB('i', "JOBID", ""),
    PARTITION_NAME('r', "PARTITION", ""),
    USER('u', "USER", ""),
    ACCOUNT('o', "ACCOUNT", ""),
    QOS_NAME('n', "QOS", ""),
    PRIORITY('Y', "PRIORITY", "total"),
    PRIORITY_NORMAL('y', "PRIORITY", "total"),
    SITE('S', "SITE", "site"),
    AGE('A', "AGE", "age"),
    AGE_FACTOR('a', "AGE", "age"),
    ASSOC('B', "ASSOC", "association"),
    ASSOC_FACTOR('b', "ASSOC", "association"),
    FAIRSHARE('F', "FAIRSHARE", "fairShare"),
    FAIRSHARE_FACTOR('f', "FAIRSHARE", "fairShare"),
    JOB_SIZE('J', "JOBSIZE", "jobSize"),
    JOB_SIZE_FACTOR('j', "JOBSIZE", "jobSize"),
    PARTITION('P', "PARTITION", "partition"),
    PARTITION_FACTOR('p', "PARTITION", "partition"),
    QOS('Q', "QOS", "qos"),
    QOS_FACTOR('q', "QOS", "qos"),
    NICE('N', "NICE", "nice"),
    TRES('T', "TRES", "tres"),
    TRES_FACTOR('t', "TRES", "tres");

    /// The parts that a weight brings about, in the order of the listing.
    static final List<PriorityField> PARTS =
            List.of(AGE, ASSOC, FAIRSHARE, JOB_SIZE, PARTITION, QOS, TRES);

    private static final BigDecimal HIGHEST_PRIORITY = BigDecimal.valueOf(1L << 32);

    private final char letter;
    private final String title;
    private final String part;

    PriorityField(char letter, String title, String part) {
        this.letter = letter;
        this.title = title;
        this.part = part;
    }

    static @Nullable PriorityField of(char letter) {
        for (PriorityField field : values()) {
            if (field.letter == letter) {
                return field;
            }
        }
        return null;
    }

    char letter() {
        return letter;
    }

    String title() {
        return title;
    }

    boolean hasWeight(JsonObject weights) {
        return this == TRES
                ? !weights.object("tres").fields().isEmpty()
                : weights.number(part) != 0;
    }

    /// The value in the line of weights.
    String weight(JsonObject weights) {
        return switch (this) {
            case JOB -> "Weights";
            case SITE -> "1";
            case TRES, TRES_FACTOR -> tresWeights(weights);
            case AGE,
                    AGE_FACTOR,
                    ASSOC,
                    ASSOC_FACTOR,
                    FAIRSHARE,
                    FAIRSHARE_FACTOR,
                    JOB_SIZE,
                    JOB_SIZE_FACTOR,
                    PARTITION,
                    PARTITION_FACTOR,
                    QOS,
                    QOS_FACTOR ->
                    Long.toString(weights.number(part));
            case PARTITION_NAME, USER, ACCOUNT, QOS_NAME, PRIORITY, PRIORITY_NORMAL, NICE -> "";
        };
    }

    private static String tresWeights(JsonObject weights) {
        var text = new StringBuilder();
        JsonObject tres = weights.object("tres");
        for (String name : tres.fields().keySet()) {
            text.append(text.isEmpty() ? "" : ",").append(name).append('=');
            text.append(tres.number(name));
        }
        return text.toString();
    }

    String value(JsonObject job, JsonObject weights) {
        JsonObject points = job.object("priority");
        return switch (this) {
            case JOB ->
                    job.has("arrayJob")
                            ? job.number("arrayJob") + "_" + job.number("arrayTask")
                            : job.has("hetJob")
                                    ? job.number("hetJob")
                                            + "+"
                                            + (job.number("job") - job.number("hetJob"))
                                    : Long.toString(job.number("job"));
            case PARTITION_NAME -> job.text("partition");
            case USER -> job.text("user");
            case ACCOUNT -> job.text("account");
            case QOS_NAME -> job.text("qos");
            case PRIORITY -> Long.toString(Math.max(0, (long) Math.floor(points.decimal(part))));
            case PRIORITY_NORMAL -> ofHighest(points);
            case NICE -> Long.toString(-Math.round(points.decimal(part)));
            case SITE, AGE, ASSOC, FAIRSHARE, JOB_SIZE, PARTITION, QOS ->
                    Long.toString(Math.round(points.decimal(part)));
            case TRES -> points.decimal(part) == 0 ? "" : whole(points);
            case TRES_FACTOR -> "";
            case AGE_FACTOR,
                    ASSOC_FACTOR,
                    FAIRSHARE_FACTOR,
                    JOB_SIZE_FACTOR,
                    PARTITION_FACTOR,
                    QOS_FACTOR ->
                    factor(points, weights);
        };
    }

    /// The ascending order by it: that of numbers, where it is one.
    Comparator<JsonObject> order(JsonObject weights) {
        return switch (this) {
            case JOB -> Comparator.comparing(job -> job.number("job"));
            case PARTITION_NAME, USER, ACCOUNT, QOS_NAME, TRES_FACTOR ->
                    Comparator.comparing(job -> value(job, weights));
            default -> Comparator.comparing(job -> job.object("priority").decimal(part));
        };
    }

    private String whole(JsonObject points) {
        return Long.toString(Math.round(points.decimal(part)));
    }

    /// In parts of 2^32, cut to eight decimals.
    private String ofHighest(JsonObject points) {
        return BigDecimal.valueOf(Math.max(0, (long) Math.floor(points.decimal(part))))
                .divide(HIGHEST_PRIORITY, 8, RoundingMode.DOWN)
                .toPlainString();
    }

    private String factor(JsonObject points, JsonObject weights) {
        long weight = weights.number(part);
        BigDecimal factor =
                weight == 0
                        ? BigDecimal.ZERO
                        : BigDecimal.valueOf(points.decimal(part))
                                .divide(BigDecimal.valueOf(weight), 20, RoundingMode.HALF_EVEN);
        return factor.setScale(7, RoundingMode.HALF_EVEN).toPlainString();
    }
}
