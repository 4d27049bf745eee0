package io.berth.submit;

import io.berth.contracts.Hold;
import io.berth.contracts.PrivateData;
import io.berth.contracts.config.Configuration;
import io.berth.core.request.Sight;
import io.berth.submit.Refusal.NotAllowed;
import java.util.Locale;

/// Who may do what to jobs and nodes. An admin may do everything; a user what is his own to do. The
/// table of it all stands in docs/commands.md.
public final class Permissions {

    private Permissions() {}

    /// @throws Refused unless the job is the caller's, or he coordinates its account or is an
    ///   operator
    public static void toControl(Job job, Caller caller, Configuration configuration)
            throws Refused {
        if (!caller.looksAfter(job.user())
                && !configuration.coordinates(caller.user(), job.description().account())) {
            throw denied(
                    "job %s is not %s's: only its owner, a coordinator of its account or an operator may do that"
                            .formatted(job.id(), caller.user()));
        }
    }

    /// @throws Refused unless the job is the caller's, or he is an operator
    public static void toRead(Job job, Caller caller) throws Refused {
        toRead(job, caller, "what it wrote");
    }

    /// @throws Refused unless the job is the caller's, or he is an operator
    public static void toReadScript(Job job, Caller caller) throws Refused {
        toRead(job, caller, "its script");
    }

    private static void toRead(Job job, Caller caller, String what) throws Refused {
        if (!caller.looksAfter(job.user())) {
            throw denied(
                    "job %s is not %s's: only its owner or an operator may read %s"
                            .formatted(job.id(), caller.user(), what));
        }
    }

    /// @throws Refused unless the job is the caller's, or he is an admin
    public static void toAttach(Job job, Caller caller) throws Refused {
        asOwner(job, caller, "attach to its step");
    }

    /// @throws Refused unless the job is the caller's, or he is an admin
    public static void toStart(Job job, Caller caller) throws Refused {
        asOwner(job, caller, "start a step in it");
    }

    private static void asOwner(Job job, Caller caller, String what) throws Refused {
        if (!caller.mayActFor(job.user())) {
            throw denied(
                    "job %s is not %s's: only its owner or an admin may %s"
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

    /// @param what what only an admin may do
    public static void ofAdmin(Caller caller, String what) throws Refused {
        if (!caller.admin()) {
            throw denied("only an admin may " + what);
        }
    }

    private static Refused denied(String why) {
        return new Refused(new NotAllowed(why));
    }
}
