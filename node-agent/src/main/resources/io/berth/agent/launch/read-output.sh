# Tells, as the account of a script, what stands in a file that it writes. Arguments: the file, the first byte (negative counts
# from the end). For each line of input: a line with where it begins and ends, and the bytes between; next time those that came
# since. A file that became shorter is told from its start.
from=$2
while read -r look; do
    [ -e "$1" ] || {
        echo "refused $1 is not there"
        exit
    }
    [ -f "$1" ] || {
        echo "refused $1 is not a regular file"
        exit
    }
    [ -r "$1" ] || {
        echo "refused $1 may not be read"
        exit
    }
    size=$(stat -L -c %s -- "$1")
    [ "$from" -ge 0 ] || from=$((size + from))
    { [ "$from" -ge 0 ] && [ "$from" -le "$size" ]; } || from=0
    echo "$from $size"
    # So many bytes as were told, even if the file becomes shorter meanwhile.
    [ "$from" -eq "$size" ] || {
        tail -c "+$((from + 1))" -- "$1"
        cat /dev/zero
    } 2>/dev/null | head -c "$((size - from))"
    from=$size
done
