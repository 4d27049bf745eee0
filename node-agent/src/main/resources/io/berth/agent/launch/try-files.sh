# Tries the folder and the files of a script, as its account, and empties those that it writes.
# Arguments: the folder, the input, anything if output is appended, the umask, the files for output and error.
cd -- "$1" 2>/dev/null || {
    echo "working directory $1 does not exist, or may not be entered"
    exit 1
}
[ -r "$2" ] || {
    echo "cannot read the input file $2"
    exit 1
}
append=$3
umask "$4"
shift 4
for file; do
    # A device or a pipe: opening it may wait or take effect.
    [ ! -e "$file" ] || [ -f "$file" ] || [ -d "$file" ] || continue
    if [ -n "$append" ]; then
        error=$({ true >>"$file"; } 2>&1)
    else
        error=$({ true >"$file"; } 2>&1)
    fi
    [ -z "$error" ] || {
        echo "cannot open the output file $file: ${error##*: }"
        exit 1
    }
done
