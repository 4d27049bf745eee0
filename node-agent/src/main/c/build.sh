# Compiles the shim into the folder given, if a C compiler is there. Without it the agent takes the shell's shim.
# Linked statically, where that can be done, it runs on machines with another C library.
if ! command -v cc >/dev/null; then
    echo "no C compiler: the agent will use the shim of the shell"
    exit 0
fi
sources=$(dirname "$0")
program=$1/shim-$(uname -m)
mkdir -p "$1" || exit 1
[ "$program" -nt "$sources/shim.c" ] && exit 0
warnings="-std=c17 -O2 -Wall -Wextra -Werror"
cc $warnings -static -o "$program" "$sources/shim.c" 2>/dev/null || exec cc $warnings -o "$program" "$sources/shim.c"
