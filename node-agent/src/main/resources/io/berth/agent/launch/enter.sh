# Becomes a process of a run that has begun: enters its groups and turns into a command. What that starts is ended by its
# own, and not by signals to all of the run.
# Arguments: the run's folder, then the command.
trap '' HUP INT TERM USR1 USR2
umask 077
folder=$1
shift
# Out of the agent's own groups, where the run has none, as its shim.
[ ! -e "$folder/../../../../apart" ] || while read -r entrance; do
    { echo 0 >"$entrance"; } 2>/dev/null
done <"$folder/../../../../apart"
while read -r entrance; do
    echo 0 >"$entrance" || exit 125
done <"$folder/entrances"
exec "$@"
