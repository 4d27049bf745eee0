package io.berth.submit;

import io.berth.contracts.Hold;
import io.berth.contracts.PrivateData;
import io.berth.contracts.config.Configuration;
import io.berth.core.request.Sight;
import io.berth.submit.Refusal.NotAllowed;
import java.util.Locale;

/// Who may do what to jobs and nodes. An operator may do everything; a user what is his own to do.
///
/// | | owner, coordinator of the job's account | other user | operator |
/// |---|---|---|---|
/// | see jobs and nodes | yes | yes, but what is private | yes |
/// | read what a job wrote, attach to its step, start one | owner: yes, coordinator: no | no | yes |
/// | cancel, signal, requeue, hold | yes | no | yes |
/// | release | what a user held | no | yes |
/// | lower the time limit, raise nice | yes | no | yes |
/// | raise the time limit, lower nice, set a priority, move to the top | no | no | yes |
/// | suspend and resume | no | no | yes |
/// | drain, resume or set down nodes | no | no | yes |
public final class Permissions {

    private Permissions() {}

    /// @throws Refused unless the job is the caller's, or he coordinates its account or is an
    ///   operator
    public static void toControl(Job job, Caller caller, Configuration configuration)
            throws Refused {
        if (!caller.mayActFor(job.user())
                && !configuration.coordinates(caller.user(), job.description().account())) {
            throw denied(
                    "job %s is not %s's: only its owner, a coordinator of its account or an operator may do that"
                            .formatted(job.id(), caller.user()));
        }
    }

    /// @throws Refused unless the job is the caller's, or he is an operator
    public static void toRead(Job job, Caller caller) throws Refused {
        ofOwner(job, caller, "read what it wrote");
    }

    /// @throws Refused unless the job is the caller's, or he is an operator
    public static void toAttach(Job job, Caller caller) throws Refused {
        ofOwner(job, caller, "attach to its step");
    }

    /// @throws Refused unless the job is the caller's, or he is an operator
    public static void toStart(Job job, Caller caller) throws Refused {
        ofOwner(job, caller, "start a step in it");
    }

    private static void ofOwner(Job job, Caller caller, String what) throws Refused {
        if (!caller.mayActFor(job.user())) {
            throw denied(
                    "job %s is not %s's: only its owner or an operator may %s"
                            .formatted(job.id(), caller.user(), what));
        }
    }

    /// @throws Refused if such data are for operators alone
    public static void toSee(Sight sight, PrivateData kind) throws Refused {
        if (sight.hides(kind)) {
            throw denied(
                    kind.name().toLowerCase(Locale.ROOT)
                            + " are private here: only an operator may see them");
        }
    }

    /// The hold that a caller puts on a job: an operator's is one that only operators undo, unless
    /// he asks for a user's.
    public static Hold holdOf(Caller caller, boolean asUser) {
        return caller.operator() && !asUser ? Hold.ADMIN : Hold.USER;
    }

    /// @throws Refused if an operator holds the job and the caller is none
    public static void toRelease(Job job, Caller caller) throws Refused {
        if (job.hold() == Hold.ADMIN && !caller.operator()) {
            throw denied("job " + job.id() + " is held by an operator, who alone may release it");
        }
    }

    /// @param what what only an operator may do
    public static void ofOperator(Caller caller, String what) throws Refused {
        if (!caller.operator()) {
            throw denied("only an operator may " + what);
        }
    }

    private static Refused denied(String why) {
        return new Refused(new NotAllowed(why));
    }
}
