package io.berth.submit;

import io.berth.contracts.event.ConfigEntry.Partition;

/// A request that a rule forbids. The detail is one line for the person who asked: what was wrong,
/// and what is allowed.
public sealed interface Refusal {
    String detail();

    /// The body is no JSON, or not that of a submission.
    record InvalidJson(String detail) implements Refusal {}

    record InvalidScript(String detail) implements Refusal {}

    record ScriptTooLarge(String detail) implements Refusal {}

    /// A value or a combination of values that no job can have.
    record InvalidOption(String detail) implements Refusal {}

    record InvalidPartition(String detail) implements Refusal {}

    record InvalidAccount(String detail) implements Refusal {}

    record InvalidQos(String detail) implements Refusal {}

    /// The reservation is not there, is over, or the job may not use it.
    record InvalidReservation(String detail) implements Refusal {}

    /// The cluster has no such license, or never so many.
    record InvalidLicense(String detail) implements Refusal {}

    /// The partition takes no jobs.
    record PartitionClosed(String detail) implements Refusal {}

    /// A limit of the account, the user or the QOS. The detail begins with Slurm's name of it.
    record LimitReached(String detail) implements Refusal {}

    /// No node of the partition could ever hold the job.
    record NodeConfigurationUnavailable(String detail) implements Refusal {

        static NodeConfigurationUnavailable in(Partition partition, String obstacle) {
            return new NodeConfigurationUnavailable(
                    "Requested node configuration is not available in partition %s: %s"
                            .formatted(partition.name(), obstacle));
        }
    }

    /// A header, a parameter or the way that the body was sent is wrong.
    record InvalidRequest(String detail) implements Refusal {}

    /// The idempotency key stands for another request.
    record KeyReused(String detail) implements Refusal {}

    /// The caller may not do this to that user's jobs.
    record NotAllowed(String detail) implements Refusal {}

    record InvalidNode(String detail) implements Refusal {}

    /// The job is too far for what is asked of it.
    record JobNotPending(String detail) implements Refusal {}

    record JobNotFound(String detail) implements Refusal {}

    record NodeNotFound(String detail) implements Refusal {}

    /// The job has written nothing that can be read.
    record OutputNotFound(String detail) implements Refusal {}

    /// The job has no such step that one can attach to.
    record StepNotFound(String detail) implements Refusal {}

    record TriggerNotFound(String detail) implements Refusal {}

    /// What is refused of a component after the first of a heterogeneous job.
    ///
    /// @param component from 1, as in Slurm's `17+1`
    record OfComponent(int component, Refusal refusal) implements Refusal {
        @Override
        public String detail() {
            return "component " + component + ": " + refusal.detail();
        }
    }

    /// The name that programs and metrics know it by.
    default String code() {
        return switch (this) {
            case OfComponent it -> it.refusal().code();
            case InvalidJson _ -> "invalid_json";
            case InvalidScript _ -> "invalid_script";
            case ScriptTooLarge _ -> "script_too_large";
            case InvalidOption _ -> "invalid_option";
            case InvalidPartition _ -> "invalid_partition";
            case InvalidAccount _ -> "invalid_account";
            case InvalidQos _ -> "invalid_qos";
            case InvalidReservation _ -> "invalid_reservation";
            case InvalidLicense _ -> "invalid_license";
            case PartitionClosed _ -> "partition_closed";
            case LimitReached _ -> "limit_reached";
            case NodeConfigurationUnavailable _ -> "node_configuration_unavailable";
            case InvalidRequest _ -> "invalid_request";
            case KeyReused _ -> "idempotency_key_reused";
            case NotAllowed _ -> "not_allowed";
            case InvalidNode _ -> "invalid_node";
            case JobNotPending _ -> "job_not_pending";
            case JobNotFound _ -> "job_not_found";
            case NodeNotFound _ -> "node_not_found";
            case OutputNotFound _ -> "output_not_found";
            case StepNotFound _ -> "step_not_found";
            case TriggerNotFound _ -> "trigger_not_found";
        };
    }
}
