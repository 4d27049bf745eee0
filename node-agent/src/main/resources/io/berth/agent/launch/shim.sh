# Holds one task: starts it, waits for it and writes how it ended. It stands outside the group that is
# limited and killed, and outlives the agent.
# Arguments: the run's folder, then the variables that mark the task's processes.
trap '' HUP INT TERM
umask 077
cd "$1" || exit 1
shift
# Out of the agent's own groups, of which others may end all that is there. What cannot be entered is done without.
[ ! -e ../../../../apart ] || while read -r entrance; do
    { echo 0 >"$entrance"; } 2>/dev/null
done <../../../../apart

start_time() {
    read -r stat <"/proc/$1/stat"
    set -f
    # What follows the name, which may hold anything, begins with the third field.
    set -- ${stat##*) }
    echo "${20}"
}

echo "$$ $(start_time $$)" >shim.new && mv shim.new shim || exit 1
mkfifo -m 600 go || exit 1

# A shell says on its standard error when a signal ended a child: nothing else is written there.
exec 2>signal
(
    trap - HUP INT TERM
    exec 2>failure
    # No shell undoes what it was started with: signals that it ignores.
    env --default-signal true 2>/dev/null && default=--default-signal || default=
    exec setsid env $default -i PATH="$PATH" "$@" sh ../../../../task.sh
)
status=$?
if [ -s signal ] && [ "$status" -gt 128 ]; then
    end="signal $((status - 128))"
else
    end="exit $status"
fi
# What the run came to is worth waiting for room on the disk; without the folder nobody asks. A disk that refuses only at the sync, as over NFS,
# is not waited for.
until echo "$end" >exit.new 2>/dev/null; do
    [ -d . ] && [ -f shim ] || exit 1
    sleep 1
done
sync exit.new 2>/dev/null || sync
mv exit.new exit
sync . 2>/dev/null
