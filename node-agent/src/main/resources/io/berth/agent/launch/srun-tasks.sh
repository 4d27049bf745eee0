# Starts the tasks of a step that are on this node, and waits for them: by the program srun-tasks, where there is one that
# runs here, else by shells. Read by srun, whose variables it uses.
# Of the tasks here, one is known by its place among them, from 0; srun_ranks are their numbers in the step.

# Whether signals can be sent on to tasks, and those that came before.
srun_started='' srun_early=''

# Sends a signal to all tasks.
srun_forward() {
    if [ -z "$srun_started" ]; then
        srun_early="$srun_early $1"
    else
        "srun_forward_by_$srun_way" "$1"
    fi
}

# Kills all that comes from srun, but the timer that calls this.
srun_kill_tasks() {
    read -r srun_self srun_rest </proc/self/stat
    srun_doomed=$(cat /proc/[0-9]*/status 2>/dev/null | awk -v top=$$ -v timer="$srun_self" '
        /^Pid:/ { process = $2 }
        /^PPid:/ { parent[process] = $2 }
        END {
            for (process in parent) {
                up = process
                for (i = 0; i < NR && up != top && up != timer && up in parent; i++) up = parent[up]
                if (up == top && process != top) print process
            }
        }')
    # Stopped first: a shell whose command is killed would begin the next one.
    # shellcheck disable=SC2086
    kill -s STOP $srun_doomed
    # shellcheck disable=SC2086
    kill -s KILL $srun_doomed
}

# Ends the step when its time is over, as a job's: the tasks may tidy up for half a minute. Then they are killed, and srun
# too if it does not end with them. The timer is nobody's child, for whom a shell would wait.
srun_time() {
    srun_timer=$( (
        # Waits so long; ends the timer if srun is no more.
        srun_pass() {
            sleep "$1" &
            wait $!
            srun_start_time $$
            [ "$$ $srun_birth" = "$srun_me" ] || exit
        } 2>/dev/null
        # From here on $! is a process of the timer, whenever it is told to end.
        : &
        wait $!
        # A shell's child may still have its parent's traps: no other signal is sure to end it.
        trap 'kill -s KILL $! 2>/dev/null; exit' TERM
        # Only now srun goes on, and may end the timer.
        exec >/dev/null
        srun_pass "$srun_limit"
        echo "srun: error: *** STEP $SLURM_JOB_ID.$srun_id ON $SLURMD_NODENAME CANCELLED AT $(date +%Y-%m-%dT%H:%M:%S) DUE TO TIME LIMIT ***" >&2
        kill -s TERM $$
        srun_pass "${BERTH_KILL_WAIT:-30}"
        srun_kill_tasks
        srun_pass 5
        kill -s KILL $$
    ) & echo $!)
}

# Takes the caller's variables away but Slurm's, Berth's own and those that the list $1 names between commas. What srun
# calls needs a PATH.
srun_keep_only() {
    for srun_word in $(awk 'BEGIN { for (name in ENVIRON) if (name ~ /^[a-zA-Z_][a-zA-Z_0-9]*$/) print name }'); do
        case $srun_word in
        SLURM_* | SLURMD_* | BERTH_* | MASTER_ADDR | MASTER_PORT | PATH | PWD | srun_*) continue ;;
        # What binds to the job's GPUs, and to its part of them.
        *_VISIBLE_DEVICES | CUDA_MPS_* | NVIDIA_IMEX_CHANNELS) continue ;;
        esac
        case $1 in *,"$srun_word",*) ;; *) unset "$srun_word" ;; esac
    done
}

# Empties the files by a pattern; one for all nodes was emptied before any task began.
srun_empty() {
    [ -n "$1" ] || return 0
    srun_left=$srun_ranks,
    while [ -n "$srun_left" ]; do
        srun_name "$1" "${srun_left%%,*}"
        [ -z "$srun_part" ] || [ -n "$srun_varies" ] || return 0
        srun_left=${srun_left#*,}
        : >"$srun_named" || exit 1
    done
}

# Runs the tasks; srun_worst is the highest of their exit statuses.
srun_run() {
    srun_last=$((srun_total - 1)) srun_way=shells
    if [ -n "$srun_runs" ]; then
        srun_way=program
    elif [ -x "${0%/*}/srun-tasks" ]; then
        # It says how it is used, if it runs: a container may lack what it needs.
        "${0%/*}/srun-tasks" 2>/dev/null
        [ $? != 2 ] || srun_way=program
    fi
    "srun_run_by_$srun_way" "$@"
}

# Tells a task its GPUs by the node's variables, each of those of the job that it tells.
srun_tell() {
    for srun_variable in $BERTH_GPU_VARIABLES; do
        case $srun_variable in '' | *[!A-Z_]*) continue ;; esac
        eval "srun_told_of=\${$srun_variable-}"
        srun_own_left=$srun_seen, srun_own_told=
        while [ "$srun_own_left" != , ] && [ -n "$srun_own_left" ]; do
            case ,$srun_told_of, in
            *,"${srun_own_left%%,*}",*) srun_own_told=$srun_own_told,${srun_own_left%%,*} ;;
            esac
            srun_own_left=${srun_own_left#*,}
        done
        srun_set "$srun_variable" "${srun_own_told#,}"
    done
}

# What task $1 of those here, which is srun_rank in the step, has alone: its variables, told to srun_set, in srun_seen its
# GPUs, and in srun_bind the arguments of taskset; 1 if it cannot start.
srun_own() {
    srun_see "$1" || return
    if [ -n "${BERTH_GPU_VARIABLES+there}" ]; then
        srun_tell
    else
        srun_set CUDA_VISIBLE_DEVICES "$srun_seen"
        srun_set NVIDIA_VISIBLE_DEVICES "$srun_seen"
    fi
    srun_set SLURM_PROCID "$srun_rank"
    srun_set SLURM_LOCALID "$1"
    srun_bind_task "$1"
    [ "$srun_total" -gt 1 ] || return 0
    srun_set RANK "$srun_rank"
    srun_set LOCAL_RANK "$1"
    srun_meeting "$srun_rank"
}

# The files of task srun_rank are in srun_in, srun_out and srun_err; nothing for one that is srun's own.
srun_files() {
    srun_in='' srun_out='' srun_err=''
    [ -z "$srun_input" ] || { srun_name "$srun_input" "$srun_rank" && srun_in=$srun_named; }
    [ -z "$srun_output" ] || { srun_name "$srun_output" "$srun_rank" && srun_out=$srun_named; }
    [ -z "$srun_error" ] || { srun_name "$srun_error" "$srun_rank" && srun_err=$srun_named; }
    [ -n "$srun_in" ] || [ "$srun_rank" = 0 ] || srun_in=/dev/null
}

# Adds a word, of the kind $1, to those of a task, as printf's %b reads them.
srun_say() {
    srun_said_words=$srun_said_words$1 srun_unsaid=${2-}
    while :; do
        case $srun_unsaid in
        *\\*) srun_said_words=$srun_said_words${srun_unsaid%%\\*}\\\\ srun_unsaid=${srun_unsaid#*\\} ;;
        *) break ;;
        esac
    done
    srun_said_words=$srun_said_words$srun_unsaid'\0'
}

# The words of task $1 of those here as srun-tasks reads them. The program follows; with --multi-prog its first word is
# the file that was read, and the others follow those of each task.
srun_words() {
    srun_files
    srun_said_words=
    srun_say n "$srun_rank"
    [ -z "$srun_in" ] || srun_say i "$srun_in"
    [ -z "$srun_out" ] || srun_say o "$srun_out"
    if [ -n "$srun_err" ]; then
        srun_say e "$srun_err"
    elif [ -n "$srun_out" ]; then
        srun_say j
    fi
    if [ -n "$srun_label" ]; then
        srun_word=$srun_rank
        while [ ${#srun_word} -lt ${#srun_last} ]; do srun_word=" $srun_word"; done
        srun_say l "$srun_word: "
    fi
    srun_own "$1" || srun_say x
    # By --exact alone a task is bound as its step is.
    [ "$srun_seen" = "$srun_step_gpus" ] && [ -z "${srun_cpu_bind:+$srun_bind}" ] || srun_bounds=1
    case $srun_bind in
    '') ;;
    '-c '*) srun_say c "${srun_bind#-c }" ;;
    *) srun_say m "$srun_bind" ;;
    esac
    [ "$srun_seen" = "$srun_step_gpus" ] || srun_say g "${srun_seen:-none}"
    if [ -n "$srun_multi" ]; then
        srun_program_words=$(srun_program "$srun_rank") || srun_say x
        while IFS= read -r srun_word; do srun_say w "${srun_word#=}"; done <<EOF
$srun_program_words
EOF
        shift 2
        for srun_word; do srun_say w "$srun_word"; done
    fi
    # There may be no room for it.
    printf %b "$srun_said_words\0" || exit 1
}

srun_run_by_program() {
    srun_bounds=
    srun_set() { srun_say v "$1=$2"; }
    srun_local=0 srun_left=$srun_ranks,
    while [ -n "$srun_left" ]; do
        srun_rank=${srun_left%%,*} srun_left=${srun_left#*,}
        srun_words "$srun_local" "$@"
        srun_local=$((srun_local + 1))
    done >"$srun_file.tasks" || exit 1
    unset BERTH_PROGRAMS
    # Tasks that are bound to nothing need no groups, and wait for nobody.
    srun_asks=-
    [ -z "$srun_held" ] || [ -z "$srun_bounds" ] || srun_asks=${BERTH_STEPS%/*}/asks/tasks.$srun_id
    "${0%/*}/srun-tasks" "$srun_file.tasks" "-${srun_kill:+K}" "$SLURMD_NODENAME" "$srun_asks" \
        "${BERTH_STEPS%/*}/told/tasks.$srun_id" "$@" <&6 6<&- &
    srun_started=$!
    exec 6<&-
    for srun_signal in $srun_early; do srun_forward "$srun_signal"; done
    srun_await "$srun_started"
    srun_worst=$srun_status
}

# Waits for a process whatever signals come meanwhile; srun_status is its exit status.
srun_await() {
    while :; do
        wait "$1"
        srun_status=$?
        kill -0 "$1" 2>/dev/null || break
    done
    # A signal may have ended the wait, and the process have ended since.
    wait "$1" 2>/dev/null
    srun_again=$?
    [ "$srun_again" = 127 ] || srun_status=$srun_again
}

# It takes signals once it has removed its file.
srun_forward_by_program() {
    while [ -e "$srun_file.tasks" ] && kill -0 "$srun_started"; do sleep 0.01; done 2>/dev/null
    kill -s "$1" "$srun_started" 2>/dev/null
}

srun_run_by_shells() {
    srun_set() { export "$1=$2"; }
    # The shell has its background commands ignore INT and QUIT, and a script may others; a task is to have them as every
    # program does.
    srun_signals=
    if env --default-signal true 2>/dev/null; then
        srun_signals='env --default-signal'
    fi
    srun_started=1
    for srun_signal in $srun_early; do srun_forward "$srun_signal"; done
    srun_local=0 srun_left=$srun_ranks,
    while [ -n "$srun_left" ]; do
        srun_rank=${srun_left%%,*} srun_left=${srun_left#*,}
        srun_start "$srun_local" "$@" &
        srun_local=$((srun_local + 1))
    done
    exec 6<&-
    until wait; do :; done

    srun_worst=0 srun_local=0 srun_left=$srun_ranks, srun_statuses=' '
    while [ -n "$srun_left" ]; do
        srun_rank=${srun_left%%,*} srun_left=${srun_left#*,}
        read -r srun_status 2>/dev/null <"$srun_file.exit.$srun_local" || srun_status=1
        if [ "$srun_status" != 0 ]; then
            case $srun_statuses in *" $srun_status "*) ;; *) srun_statuses="$srun_statuses$srun_status " ;; esac
            eval "srun_ended_$srun_status=\${srun_ended_$srun_status:+\$srun_ended_$srun_status }\$srun_rank"
            [ "$srun_status" -le "$srun_worst" ] || srun_worst=$srun_status
        fi
        srun_local=$((srun_local + 1))
    done
    for srun_status in $srun_statuses; do
        eval "srun_fold \$srun_ended_$srun_status"
        srun_how "$srun_status"
        case $srun_folded in
        *[,-]*) echo "srun: error: $SLURMD_NODENAME: tasks $srun_folded: $srun_how" >&2 ;;
        *) echo "srun: error: $SLURMD_NODENAME: task $srun_folded: $srun_how" >&2 ;;
        esac
    done
}

# The numbers that follow, in their order, are srun_folded: 0-2,5.
srun_fold() {
    srun_folded=$1
    while [ $# -gt 0 ]; do
        srun_first=$1
        while [ "${2-}" = $(($1 + 1)) ]; do shift; done
        [ "$1" = "$srun_first" ] || srun_folded=$srun_folded-$1
        shift
        srun_folded=$srun_folded${1:+,$1}
    done
}

# How a task ended whose exit status is $1, is srun_how. A shell cannot tell a signal from a status above 128.
srun_how() {
    srun_how="Exited with exit code $1"
    case $(($1 - 128)) in
    1) srun_how=Hangup ;;
    2) srun_how=Interrupt ;;
    3) srun_how=Quit ;;
    4) srun_how='Illegal instruction' ;;
    6) srun_how=Aborted ;;
    7) srun_how='Bus error' ;;
    8) srun_how='Floating point exception' ;;
    9) srun_how=Killed ;;
    10) srun_how='User defined signal 1' ;;
    11) srun_how='Segmentation fault' ;;
    12) srun_how='User defined signal 2' ;;
    13) srun_how='Broken pipe' ;;
    14) srun_how='Alarm clock' ;;
    15) srun_how=Terminated ;;
    esac
}

# Those that are only about to start see that they need not.
srun_forward_by_shells() {
    [ "$1" != TERM ] || : >"$srun_file.ending"
    for srun_other in "$srun_file".pid.*; do
        read -r srun_pid <"$srun_other" && kill -s "$1" "$srun_pid"
    done 2>/dev/null
}

# Opens the files of task $1 of those here, and runs it.
srun_start() {
    srun_files
    if [ -n "$srun_in" ]; then
        exec <"$srun_in" || exit 1
    else
        exec <&6
    fi
    exec 6<&-
    [ -z "$srun_out" ] || exec >>"$srun_out"
    if [ -n "$srun_err" ]; then
        exec 2>>"$srun_err"
    elif [ -n "$srun_out" ]; then
        exec 2>&1
    fi
    if [ -n "$srun_label" ]; then
        { srun_task "$@" 2>&1 >&8 | srun_labelled >&2; } 8>&1 | srun_labelled
    else
        srun_task "$@"
    fi
}

# The lines of task srun_rank, with its number before each.
srun_labelled() {
    trap '' HUP INT TERM USR1 USR2
    exec sed -u "s/^/$(printf '%*d' "${#srun_last}" "$srun_rank"): /"
}

# Runs task $1 of those here, the program that follows, and leaves its exit status in a file.
srun_task() {
    srun_local=$1
    shift
    trap : HUP INT TERM USR1 USR2
    if [ -n "$srun_multi" ]; then
        srun_program_words=$(srun_program "$srun_rank") || return
        unset BERTH_PROGRAMS
        shift
        srun_more=$#
        while IFS= read -r srun_word; do set -- "$@" "${srun_word#=}"; done <<EOF
$srun_program_words
EOF
        while [ "$srun_more" -gt 0 ]; do
            srun_word=$1 srun_more=$((srun_more - 1))
            shift
            set -- "$@" "$srun_word"
        done
    fi
    srun_own "$srun_local" || return
    # shellcheck disable=SC2016,SC2086
    sh -c 'echo $$ >"$1"; [ ! -e "$2" ] || kill $$; shift 2; export SLURM_TASK_PID=$$; exec "$@"' srun \
        "$srun_file.pid.$srun_local" "$srun_file.ending" $srun_signals ${srun_bind:+taskset $srun_bind} "$@"
    srun_status=$?
    echo "$srun_status" >"$srun_file.exit.$srun_local"
    : >"$srun_file.pid.$srun_local"
    [ "$srun_status" = 0 ] || [ -z "$srun_kill" ] || srun_forward_by_shells TERM
}
