package io.berth.submit.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.berth.submit.Refusal;
import io.berth.submit.Refusal.InvalidRequest;
import io.berth.submit.Refused;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/// The jobs that are to end together.
///
/// @param jobs ids such as 17, 17_4 or 17_[1-3]
@Schema(name = "Cancel")
record CancelJson(@Nullable List<@Nullable String> jobs) {
    /// The most ids of one request.
    static final int MOST = 1000;

    /// What became of them.
    ///
    /// @param refused those that stay as they are
    @Schema(name = "Cancelled")
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Answer(List<Stays> refused) {}

    /// A job that stays as it is, in the words of a request of its own.
    ///
    /// @param job the id as it was asked
    /// @param code of the problem
    @Schema(name = "NotCancelled")
    record Stays(String job, int status, String code, String detail) {
        static Stays of(String job, Refusal why) {
            Problem problem = Problem.of(why);
            return new Stays(job, problem.status(), problem.code(), problem.detail());
        }
    }

    /// The ids as they were asked.
    ///
    /// @throws Refused if there are none, or too many
    List<String> ids() throws Refused {
        if (jobs == null || jobs.isEmpty() || jobs.size() > MOST) {
            throw new Refused(new InvalidRequest("'jobs' is a list of 1 to " + MOST + " job ids"));
        }
        return jobs.stream().map(String::valueOf).toList();
    }
}
