# Takes a file on one node, for sbcast: $1 is its path, $2 its bytes, which standard input has, $3 its mode. $4 is there if it may
# replace another, $5 the times of its last access and change, in seconds since 1970, or nothing, $6 whether the node's name
# is put behind the path. The file is whole beside its place when this says "ready", and comes there when the next line of
# input is "go".
set -u
export LC_ALL=C
umask 077
half=
trap 'rm -f "$half"' EXIT
trap 'exit 1' HUP INT TERM
refuse() {
    echo "$1" >&2
    exit 1
}
[ -z "$6" ] || set -- "$1_$SLURMD_NODENAME" "$2" "$3" "$4" "$5" ''
[ ! -d "$1" ] || refuse 'Is a directory'
[ -n "$4" ] || [ ! -e "$1" ] || refuse 'File exists'
folder=${1%/*}
half=$(mktemp "$folder/.sbcast.XXXXXXXXXX") || exit 1
head -c "$2" >"$half" || exit 1
[ "$(($(wc -c <"$half")))" = "$2" ] || refuse 'the file did not come whole'
chmod "$3" "$half" || exit 1
[ -z "$5" ] || { touch -a -d "@${5% *}" "$half" && touch -m -d "@${5#* }" "$half"; } || exit 1
echo ready
read -r word && [ "$word" = go ] || exit 1
if [ -n "$4" ]; then
    mv -fT "$half" "$1"
else
    mv -nT "$half" "$1" || :
    [ ! -e "$half" ] || refuse 'File exists'
fi
