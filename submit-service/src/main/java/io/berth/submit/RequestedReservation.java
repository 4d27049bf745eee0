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
import io.berth.submit.Refusal.InvalidPartition;
import io.berth.submit.Refusal.InvalidQos;
import io.berth.submit.Refusal.InvalidReservation;
import org.jspecify.annotations.Nullable;

/// Whether a job may use the reservation that it names, or must name one.
///
/// Source: scontrol(1), "RESERVATIONS"; sacctmgr(1), "RequiresReservation"; slurm.conf(5),
/// "ReqResv".
final class RequestedReservation {

    private RequestedReservation() {}

    /// @throws Refused if it may not, in Slurm's words
    static void check(Configuration configuration, JobDescription job, long now) throws Refused {
        String name = job.request().where().reservation();
        if (name == null) {
            checkNone(configuration, job);
            return;
        }
        Reservation reservation = configuration.reservations().get(name);
        if (reservation == null || reservation.over(now)) {
            throw new Refused(
                    new InvalidReservation(
                            "Requested reservation is invalid: "
                                    + quoted(name)
                                    + (reservation == null
                                            ? " is not there; there are: "
                                                    + listed(configuration.reservations().keySet())
                                            : " is over")));
        }
        if (!Reserved.admits(configuration, reservation, job.user(), job.account())) {
            throw new Refused(
                    new InvalidReservation(
                            "Access denied to requested reservation: %s does not admit user %s in account %s"
                                    .formatted(name, job.user(), job.account())));
        }
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
