# Becomes a task: enters its groups, tries the device files that it is told to try, says that it is
# ready, waits for the word and turns into the run's code.
exec 9<>go || exit 125

while read -r entrance; do
    echo 0 >"$entrance" || exit 125
done <entrances

{
    echo "pid $$"
    while read -r device; do
        if error=$({ true <"$device"; } 2>&1); then
            echo "opened $device"
        else
            echo "refused $device ${error##*: }"
        fi
    done <devices
} >ready.new
mv ready.new ready || exit 125

read -r word <&9
. ./start
