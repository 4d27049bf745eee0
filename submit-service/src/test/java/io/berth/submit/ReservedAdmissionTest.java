package io.berth.submit;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.contracts.AdminLevel;
import io.berth.contracts.JobDescription;
import io.berth.contracts.JobState;
import io.berth.contracts.Limits;
import io.berth.contracts.NodeConstraints;
import io.berth.contracts.PrivateData;
import io.berth.contracts.Rank;
import io.berth.contracts.Reason;
import io.berth.contracts.Sharing;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.AccountDetails;
import io.berth.contracts.event.ConfigEntry.Account;
import io.berth.contracts.event.ConfigEntry.License;
import io.berth.contracts.event.ConfigEntry.Part;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.PartitionRules;
import io.berth.contracts.event.PartitionRules.State;
import io.berth.contracts.event.QosRules;
import io.berth.contracts.event.QosRules.Flag;
import io.berth.contracts.json.Json;
import io.berth.submit.Admission.Decision;
import io.berth.submit.Admission.Decision.Admitted;
import io.berth.submit.Admission.Decision.NotAdmitted;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Alice is in account `team_a`, below `science`. At 1,000 seconds `past` is over, and the others
/// are to come. Partition `course` and QOS `booked` take only jobs with a reservation.
final class ReservedAdmissionTest {

    private static final long NOW = 1_000_000;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "-       | batch  | normal | -",
                "alices  | batch  | normal | -",
                "teams   | batch  | normal | -",
                "above   | batch  | normal | -",
                "others  | batch  | normal | invalid_reservation Access denied to requested reservation: others does not admit user alice in account team_a",
                "without | batch  | normal | invalid_reservation Access denied to requested reservation: without does not admit user alice in account team_a",
                "both    | batch  | normal | invalid_reservation Access denied to requested reservation: both does not admit user alice in account team_a",
                "past    | batch  | normal | invalid_reservation Requested reservation is invalid: 'past' is over",
                "none    | batch  | normal | invalid_reservation Requested reservation is invalid: 'none' is not there; there are: alices, teams, above, others, without, both, past",
                "-       | course | normal | invalid_partition Access/permission denied: partition course takes only jobs with --reservation",
                "alices  | course | normal | -",
                "-       | batch  | booked | invalid_qos Invalid qos specification: QOS booked takes only jobs with --reservation",
                "alices  | batch  | booked | -"
            })
    void a_job_may_use_a_reservation_or_must(
            @Nullable String reservation, String partition, String qos, @Nullable String expected) {
        var where = new HashMap<String, String>();
        if (reservation != null) {
            where.put("reservation", reservation);
        }

        assertThat(refusal(Map.of("partition", partition, "qos", qos, "where", where)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "others | invalid_reservation Requested reservation is invalid: 'others' is not there; there are: alices, teams, above, both, past",
                "gone   | invalid_reservation Requested reservation is invalid: 'gone' is not there; there are: alices, teams, above, both, past",
                "past   | invalid_reservation Requested reservation is invalid: 'past' is over"
            })
    void reservations_that_are_private_are_as_if_they_were_not_there(
            String reservation, String expected) {
        assertThat(
                        refusal(
                                Map.of("where", Map.of("reservation", reservation)),
                                PrivateData.RESERVATIONS))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "others | qos         | high   | -",
                "others | partition   | cpu    | -",
                "others | reservation | others | -",
                "others | reservation | alices | Requested reservation is invalid: 'alices' is not there; there are: without",
                "past   | qos         | high   | Requested reservation is invalid: 'past' is over",
                "gone   | qos         | high   | Requested reservation is invalid: 'gone' is not there; there are: without"
            })
    void who_controls_a_job_need_not_see_the_reservation_that_it_has(
            String reservation, String what, String value, @Nullable String expected) {
        var where =
                new NodeConstraints(null, List.of(), List.of(), Sharing.SHARED, null, reservation);
        JobDescription bobs = Samples.description("bob", "batch", 1);
        var status =
                Samples.status(
                        17,
                        bobs.with(bobs.request().on(where)),
                        JobState.PENDING,
                        Reason.RESOURCES,
                        Rank.NONE);
        var carol = new Caller("carol", AdminLevel.NONE, "10.0.0.1");
        var admission =
                new Admission(configuration(PrivateData.RESERVATIONS), List.of(), carol, 100, NOW);
        JobChange change = Json.mapper().convertValue(Map.of(what, value), JobChange.class);
        @Nullable String refusal = null;
        try {
            new Amendments(admission, List.of(), carol).of(new JobFold().job(status, 0), change);
        } catch (Refused e) {
            refusal = e.refusal().detail();
        }

        assertThat(refusal).isEqualTo(expected);
    }

    @Test
    void partitions_that_are_private_are_not_listed() {
        assertThat(refusal(Map.of("partition", "gone")))
                .startsWith("invalid_partition partition 'gone' does not exist; there are: batch");
        assertThat(refusal(Map.of("partition", "gone"), PrivateData.PARTITIONS))
                .isEqualTo("invalid_partition partition 'gone' does not exist");
    }

    @Test
    void an_account_that_is_private_is_as_one_that_is_not_there() {
        assertThat(refusal(Map.of("account", "science")))
                .isEqualTo("invalid_account alice is not a member of account 'science'");
        assertThat(refusal(Map.of("account", "science"), PrivateData.ACCOUNTS))
                .isEqualTo("invalid_account account 'science' does not exist");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "matlab:4       | -",
                "matlab,ansys:1 | -",
                "matlab:5       | invalid_license Invalid license specification: 5 of matlab, and there are 4",
                "foo:1          | invalid_license Invalid license specification: there is no license foo; there are: matlab, ansys",
                "matlab:0       | invalid_license Invalid license specification: 'matlab:0'",
                "matlab,        | invalid_license Invalid license specification: 'matlab,'"
            })
    void licenses_are_those_of_the_cluster(String licenses, @Nullable String expected) {
        assertThat(refusal(Map.of("where", Map.of("licenses", licenses.strip()))))
                .isEqualTo(expected);
    }

    private static @Nullable String refusal(Map<String, ?> fields, PrivateData... hidden) {
        var caller = new Caller("alice", AdminLevel.NONE, "10.0.0.1");
        Decision decision =
                new Admission(configuration(hidden), List.of(), caller, 100, NOW)
                        .decide(Asked.with(fields));
        return switch (decision) {
            case Admitted _ -> null;
            case NotAdmitted(var refusal) -> refusal.code() + " " + refusal.detail();
        };
    }

    private static Configuration configuration(PrivateData... hidden) {
        Configuration plain = Samples.configuration();
        Part any = new Part(0, 0, 0);
        var partitions = new LinkedHashMap<>(plain.partitions());
        partitions.put("course", course(any));
        var accounts = new LinkedHashMap<>(plain.accounts());
        accounts.put("science", new Account(any, "science", null, 1));
        accounts.put(
                "team_a",
                new Account(
                        any,
                        "team_a",
                        "science",
                        1,
                        null,
                        new AccountDetails("", "", List.of("carol"))));
        var qos = new LinkedHashMap<>(plain.qos());
        qos.put("booked", booked(any));
        var licenses = new LinkedHashMap<String, License>();
        licenses.put("matlab", new License(any, "matlab", 4));
        licenses.put("ansys", new License(any, "ansys", 1));
        return new Configuration(
                2,
                plain.cluster().with(to -> to.privateData = List.of(hidden)),
                partitions,
                accounts,
                plain.associations(),
                qos,
                reservations(),
                plain.switches(),
                licenses);
    }

    private static LinkedHashMap<String, Reservation> reservations() {
        var all = new LinkedHashMap<String, Reservation>();
        for (Reservation it :
                List.of(
                        reservation("alices", List.of("alice"), List.of()),
                        reservation("teams", List.of(), List.of("team_a")),
                        reservation("above", List.of(), List.of("science")),
                        reservation("others", List.of("bob"), List.of()),
                        reservation("without", List.of("-alice"), List.of()),
                        reservation("both", List.of("alice"), List.of("team_b")),
                        new Reservation(
                                new Part(0, 0, 0),
                                "past",
                                0,
                                NOW,
                                List.of("ALL"),
                                List.of("alice"),
                                List.of(),
                                List.of(),
                                null))) {
            all.put(it.name(), it);
        }
        return all;
    }

    private static Qos booked(Part any) {
        List<Flag> flags = List.of(Flag.REQUIRES_RESERVATION);
        return new Qos(
                any, "booked", 0, new QosRules("", flags, 1000, 0, List.of(), null, Limits.NONE));
    }

    private static Partition course(Part any) {
        return new Partition(
                any,
                "course",
                false,
                List.of("ALL"),
                0,
                0,
                0,
                1,
                1,
                0,
                new PartitionRules(
                        State.UP, 1, 0, 0, List.of(), List.of(), List.of(), List.of(), null, null,
                        0, false, null, true));
    }

    private static Reservation reservation(String name, List<String> users, List<String> accounts) {
        return new Reservation(
                new Part(0, 0, 0),
                name,
                NOW + 1000,
                NOW + 2000,
                List.of("ALL"),
                users,
                accounts,
                List.of(),
                null);
    }
}
