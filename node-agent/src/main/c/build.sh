# Compiles the shim, and what starts the tasks of steps, into the folder given, if a C compiler is there. Without them the
# agent takes the shell's. Linked statically, where that can be done, they run on machines, and in containers, with another
# C library.
if ! command -v cc >/dev/null; then
    echo "no C compiler: the agent will use the shell's shim, and steps the shell"
    exit 0
fi
sources=$(dirname "$0")
warnings="-std=c17 -O2 -Wall -Wextra -Werror"
mkdir -p "$1" || exit 1
for name in shim srun-tasks; do
    program=$1/$name-$(uname -m)
    [ "$program" -nt "$sources/$name.c" ] && continue
    cc $warnings -static -o "$program" "$sources/$name.c" 2>/dev/null ||
        cc $warnings -o "$program" "$sources/$name.c" || exit 1
done
