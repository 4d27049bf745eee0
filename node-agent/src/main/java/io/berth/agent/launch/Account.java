package io.berth.agent.launch;

import java.util.List;

/// The operating system's account that a script runs under.
///
/// @param switched whether it is not the agent's own, so that the task must turn into it
public record Account(long uid, long gid, String home, boolean switched) {

    /// The program by which a process of root turns into the account, with its arguments; nothing
    /// if it need not. It leaves no capability, and takes up all groups of the account.
    List<String> turning() {
        return switched
                ? List.of(
                        "setpriv",
                        "--reuid=" + uid,
                        "--regid=" + gid,
                        "--init-groups",
                        "--inh-caps=-all",
                        "--")
                : List.of();
    }
}
