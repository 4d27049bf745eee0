# Reads, as the account of a script, what its container is. Argument: its path. The configuration of a bundle; status 3 for
# another folder, whose files are the container's.
cd -- "$1" 2>/dev/null || {
    echo "container $1 does not exist, or may not be entered"
    exit 1
}
[ -e config.json ] || exit 3
[ -f config.json ] || {
    echo "container $1: its config.json is no file"
    exit 1
}
exec head -c 1048577 config.json
