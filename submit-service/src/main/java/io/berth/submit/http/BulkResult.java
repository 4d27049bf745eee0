package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.contracts.JobId;
import io.berth.submit.Refusal;
import io.berth.submit.Unavailable;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// What became of one line of a bulk submission, in the words of a request of its own.
///
/// @param line counted from 1
/// @param status 201, that of a refusal, or 503 if the outcome is unknown
/// @param id of the job; of an array its first task's
/// @param code of the problem
/// @param detail one line: what was wrong, and what is allowed
@Schema(name = "BulkResult")
@JsonInclude(JsonInclude.Include.NON_NULL)
record BulkResult(
        int line, int status, @Nullable Long id, @Nullable String code, @Nullable String detail) {

    static BulkResult accepted(int line, JobId job) {
        return new BulkResult(line, 201, job.value(), null, null);
    }

    static BulkResult refused(int line, Refusal refusal) {
        return problem(line, Problem.of(refusal));
    }

    static BulkResult unknown(int line, Unavailable why) {
        return problem(line, Problem.of(why));
    }

    private static BulkResult problem(int line, Problem problem) {
        return new BulkResult(line, problem.status(), null, problem.code(), problem.detail());
    }

    /// The name that metrics know it by.
    String outcome() {
        return code == null ? "accepted" : code;
    }
}
