package io.berth.submit;

import static io.berth.submit.Checks.listed;
import static io.berth.submit.Checks.quoted;

import io.berth.contracts.JobDescription;
import io.berth.contracts.config.Configuration;
import io.berth.contracts.event.ConfigEntry.Partition;
import io.berth.contracts.event.ConfigEntry.Qos;
import io.berth.contracts.event.ConfigEntry.Reservation;
import io.berth.contracts.event.QosRules.Flag;
import io.berth.core.request.Reserved;
import io.berth.core.request.Sight;
import io.berth.submit.Refusal.InvalidPartition;
import io.berth.submit.Refusal.InvalidQos;
import io.berth.submit.Refusal.InvalidReservation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Whether a job may use the reservation that it names, or must name one.
///
/// Source: scontrol(1), "RESERVATIONS"; sacctmgr(1), "RequiresReservation"; slurm.conf(5),
/// "ReqResv".
final class RequestedReservation {

    private RequestedReservation() {}

    /// @param had the reservation that the job has already; null if none. That it is there is known
    ///   to all who may change the job
    /// @param sight of the one who asks: another that he may not see is to him as one that is not
    ///   there
    /// @throws Refused if it may not, in Slurm's words
    static void check(
            Configuration configuration,
            JobDescription job,
            @Nullable String had,
            long now,
            Sight sight)
            throws Refused {
        String name = job.request().where().reservation();
        if (name == null) {
            checkNone(configuration, job);
            return;
        }
        Reservation reservation = configuration.reservations().get(name);
        if (reservation == null || !(name.equals(had) || sight.reservation(reservation))) {
            List<String> seen =
                    configuration.reservations().values().stream()
                            .filter(sight::reservation)
                            .map(Reservation::name)
                            .toList();
            throw invalid(name, "is not there; there are: " + listed(seen));
        }
        if (reservation.over(now)) {
            throw invalid(name, "is over");
        }
        if (!Reserved.admits(configuration, reservation, job.user(), job.account())) {
            throw new Refused(
                    new InvalidReservation(
                            "Access denied to requested reservation: %s does not admit user %s in account %s"
                                    .formatted(name, job.user(), job.account())));
        }
    }

    private static Refused invalid(String name, String why) {
        return new Refused(
                new InvalidReservation(
                        "Requested reservation is invalid: " + quoted(name) + " " + why));
    }

    private static void checkNone(Configuration configuration, JobDescription job) throws Refused {
        @Nullable Partition partition = configuration.partitions().get(job.partition());
        if (partition != null && partition.partitionRules().reserved()) {
            throw new Refused(
                    new InvalidPartition(
                            "Access/permission denied: partition %s takes only jobs with --reservation"
                                    .formatted(partition.name())));
        }
        @Nullable Qos qos = configuration.qos().get(job.qos());
        if (qos != null && qos.ownRules().has(Flag.REQUIRES_RESERVATION)) {
            throw new Refused(
                    new InvalidQos(
                            "Invalid qos specification: QOS %s takes only jobs with --reservation"
                                    .formatted(qos.name())));
        }
    }
}
