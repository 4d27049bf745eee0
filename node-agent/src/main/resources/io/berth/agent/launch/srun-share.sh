# What of a job's CPUs and GPUs a step of srun gets, and which of them each task. Read by srun, whose variables it uses.
# What each step comes by calls no program that it can do without: one costs as much as hundreds of lines of a shell.

# When a process began is srun_birth; nothing if it has ended.
srun_start_time() {
    srun_birth=''
    read -r srun_stat <"/proc/$1/stat" || return
    set -f
    # What follows the name, which may hold anything, begins with the third field.
    # shellcheck disable=SC2086
    set -- ${srun_stat##*) }
    set +f
    [ "$1" = Z ] || srun_birth=${20}
}
# This process, as others know it.
srun_start_time $$
srun_me="$$ $srun_birth"

# 0-2,5 is " 0 1 2 5 " in srun_expanded.
srun_expand() {
    srun_expanded=' '
    srun_split "$1"
    for srun_range in $srun_parts; do
        srun_number=${srun_range%-*}
        while [ "$srun_number" -le "${srun_range#*-}" ]; do
            srun_expanded="$srun_expanded$srun_number "
            srun_number=$((srun_number + 1))
        done
    done
}

# The words of the list $1, which has commas between them, with blanks in srun_parts.
srun_split() {
    IFS=,
    # shellcheck disable=SC2086
    set -- $1
    unset IFS
    srun_parts=$*
}

# How many words follow is srun_counted.
srun_count_words() {
    srun_counted=$#
}

# The first $1 words of those that follow, with commas, are srun_list; all if $1 is empty; 1 if there are fewer.
srun_take() {
    srun_wanted=${1:-$(($# - 1))}
    shift
    [ $# -ge "$srun_wanted" ] || return 1
    srun_list=
    while [ "$srun_wanted" -gt 0 ]; do
        srun_list=$srun_list${srun_list:+,}$1
        srun_wanted=$((srun_wanted - 1))
        shift
    done
}

# This node's part of the GPUs of --gpus, of each type that it names.
srun_deal_gpus() {
    srun_dealt=
    srun_split "${srun_gpu_types:-:$srun_gpus}"
    srun_gpus=0
    for srun_item in $srun_parts; do
        srun_number=${srun_item##*:}
        srun_number=$((srun_number / srun_share_nodes + (srun_share_node < srun_number % srun_share_nodes)))
        srun_gpus=$((srun_gpus + srun_number))
        srun_dealt=$srun_dealt${srun_dealt:+,}${srun_item%:*}:$srun_number
    done
    [ -z "$srun_gpu_types" ] || srun_gpu_types=$srun_dealt
}

# As srun_take, so many GPUs of those that follow as the step needs: those of each task together, with so many of each type
# as it names. BERTH_GPU_TYPES has the job's GPUs of each type, as a100=UUID,UUID;v100=UUID.
srun_take_gpus() {
    if [ -z "$srun_gpu_types" ]; then
        srun_take "${srun_gpus:-$srun_gpus_here}" "$@"
        return
    fi
    srun_left=" $* " srun_list='' srun_times=0
    while [ "$srun_times" -lt "$srun_gpu_groups" ]; do
        srun_split "$srun_gpu_types"
        for srun_item in $srun_parts; do
            srun_of_type=";$BERTH_GPU_TYPES;" srun_wanted=${srun_item##*:}
            srun_of_type=${srun_of_type#*";${srun_item%:*}="}
            for srun_gpu in $srun_left; do
                [ "$srun_wanted" -gt 0 ] || break
                case ,${srun_of_type%%;*}, in *,"$srun_gpu",*) ;; *) continue ;; esac
                srun_list=$srun_list${srun_list:+,}$srun_gpu srun_wanted=$((srun_wanted - 1))
                srun_left="${srun_left%%" $srun_gpu "*} ${srun_left#*" $srun_gpu "}"
            done
            [ "$srun_wanted" = 0 ] || return 1
        done
        srun_times=$((srun_times + 1))
    done
}

# The word at place $1, from 0, of those that follow is srun_word; 1, and it is said, if there is none.
srun_at() {
    if [ $# -le "$(($1 + 1))" ]; then
        echo "srun: error: there is no GPU $1 in the step: it has $(($# - 1))" >&2
        return 1
    fi
    shift "$(($1 + 1))"
    srun_word=$1
}

# How many words there are, with commas between them, is srun_counted.
srun_count() {
    srun_split "$1"
    # shellcheck disable=SC2086
    srun_count_words $srun_parts
}

srun_patience=200 srun_runs=''
# Asks the node's agent about the step: $1 is begin, end, container or outside, $2 what else there is to say. It goes on when
# srun_told is the answer; without one where nobody answers within srun_patience, in hundredths of a second. At the end the
# programs that it calls may be killed with what the tasks left behind, which is not to be told. srun_runs tells whether
# srun-tasks runs here.
srun_ask() {
    srun_told=
    srun_asks=${BERTH_STEPS%/*}/asks
    [ -d "$srun_asks" ] || return
    echo "$srun_me${2:+ $2}" >"$srun_file.ask" || return
    srun_asked=$srun_asks/$1.$srun_id srun_answer=${BERTH_STEPS%/*}/told/$1.$srun_id srun_wait=0
    while :; do
        "${0%/*}/srun-tasks" --ask "$srun_file.ask" "$srun_asked" "$srun_answer" "$srun_patience"
        case $? in
        0) srun_runs=1 ;;
        1) srun_runs=1 srun_wait=$srun_patience ;;
        137) ;;
        *)
            [ ! -e "$srun_file.ask" ] || mv "$srun_file.ask" "$srun_asked"
            [ -e "$srun_answer" ] || sleep 0.01
            ;;
        esac
        [ ! -e "$srun_answer" ] || break
        # Nobody is to answer what srun waits for no more.
        [ "$srun_wait" -lt "$srun_patience" ] || { rm "$srun_asked"; return 1; }
        srun_wait=$((srun_wait + 1))
    done 2>/dev/null
    read -r srun_told <"$srun_answer" || :
}

# Notes, for the books, what becomes of the step, after the words $1 and the time: of the first thousand steps.
srun_note() {
    [ "$srun_id" -ge 1000 ] || printf '%s %s %s\n' "$1" "$(date +%s%3N)" "$2" >>"$BERTH_STEPS/log"
}

# Notes what the tasks of the step used one by one, as srun-tasks left it.
srun_note_used() {
    read -r srun_used <"$srun_file.tasks.used" && [ "$srun_id" -lt 1000 ] &&
        echo "tasks $srun_id $srun_used" >>"$BERTH_STEPS/log"
}

# With the lock: of the words that follow, those that no living step holds on line $1 of its file are srun_freed.
srun_free() {
    srun_line=$1
    shift
    srun_held=,
    for srun_step in "$BERTH_STEPS"/step.*; do
        [ -e "$srun_step" ] || continue
        { read -r srun_pid srun_began && read -r srun_cpus_held && read -r srun_gpus_held; } <"$srun_step" || continue
        srun_start_time "$srun_pid" 2>/dev/null
        [ "$srun_birth" = "$srun_began" ] || continue
        case $srun_line in cpus) srun_held=$srun_held$srun_cpus_held, ;; *) srun_held=$srun_held$srun_gpus_held, ;; esac
    done
    srun_freed=
    for srun_word; do
        case $srun_held in *,"$srun_word",*) ;; *) srun_freed="$srun_freed $srun_word" ;; esac
    done
}

# Waits a little for what other steps hold, and says so once.
srun_busy() {
    [ -n "$srun_said" ] || echo "srun: Job $SLURM_JOB_ID step creation temporarily disabled, retrying (Requested resources are busy)" >&2
    srun_said=1
    sleep 0.1
}

# With the lock: the number of the next step.
srun_next() {
    srun_id=0
    [ ! -e "$BERTH_STEPS/next" ] || read -r srun_id <"$BERTH_STEPS/next"
    echo $((srun_id + 1)) >"$BERTH_STEPS/next"
}

# Takes the step's CPUs and GPUs and its number, if they are free. What it holds stands in a file of that number, with
# the process that holds it: when that is gone, so is the claim.
srun_claim() {
    exec 7>"$BERTH_STEPS/lock" && flock 7 || srun_fail "cannot lock $BERTH_STEPS"
    srun_step_cpus=$srun_all_cpus srun_step_gpus=$srun_all_gpus
    if [ -z "$srun_overlap" ]; then
        # shellcheck disable=SC2086
        srun_free cpus $srun_all_cpus && srun_step_cpus=$srun_freed
        # shellcheck disable=SC2086
        srun_free gpus $srun_all_gpus && srun_step_gpus=$srun_freed
    fi
    # shellcheck disable=SC2086
    if srun_take "${srun_cpu_count:-$srun_cpus_here}" $srun_step_cpus && srun_step_cpus=$srun_list &&
        srun_take_gpus $srun_step_gpus && srun_step_gpus=$srun_list; then
        # The number of a part is the step's: steps that begin on this node have the same numbers.
        srun_file=$BERTH_STEPS/step.part-$srun_id
        if [ -z "$srun_id" ]; then
            srun_next
            srun_file=$BERTH_STEPS/step.$srun_id
        fi
        if [ -n "$srun_overlap" ]; then
            echo "$srun_me" >"$srun_file"
        else
            printf '%s\n' "$srun_me" "$srun_step_cpus" "$srun_step_gpus" >"$srun_file"
        fi
        case $srun_title in *[![:print:]]*) srun_title=$(printf %s "$srun_title" | tr '\n' '?') ;; esac
        srun_count "$srun_step_cpus" && srun_cpus_held=$srun_counted
        srun_count "$srun_step_gpus"
        srun_note "begin $srun_id" "$srun_tasks $srun_cpus_held $srun_counted $srun_title"
        exec 7>&-
        return 0
    fi
    exec 7>&-
    return 1
}

# The GPUs that task $1 sees are srun_seen; 1 if it cannot have them.
srun_see() {
    srun_seen=$srun_step_gpus
    case $srun_gpus_per_task,$srun_gpu_bind in
    , | *,none) ;;
    ,*) srun_see_bound "$1" ;;
    *)
        srun_from=$(($1 * srun_gpus_per_task))
        srun_split "$srun_step_gpus"
        # shellcheck disable=SC2086
        set -- $srun_parts
        [ $# -ge "$srun_from" ] && shift "$srun_from" && srun_take "$srun_gpus_per_task" "$@" && srun_seen=$srun_list
        ;;
    esac
}

# Those of task $1 by --gpu-bind.
srun_see_bound() {
    case $srun_gpu_bind in
    closest)
        srun_see_closest "$1"
        return
        ;;
    map_gpu:* | mask_gpu:*)
        srun_turn "$1" "${srun_gpu_bind#*:}"
        srun_turned=$srun_word
        ;;
    esac
    srun_place=$1
    srun_split "$srun_step_gpus"
    # shellcheck disable=SC2086
    set -- $srun_parts
    case $srun_gpu_bind in
    single:*) [ $# = 0 ] || { srun_at $((srun_place / ${srun_gpu_bind#*:} % $#)) "$@" && srun_seen=$srun_word; } ;;
    map_gpu:*) srun_at "$srun_turned" "$@" && srun_seen=$srun_word ;;
    mask_gpu:*)
        srun_mask=$((srun_turned)) srun_bit=1 srun_seen=
        for srun_gpu; do
            [ $((srun_mask & srun_bit)) = 0 ] || srun_seen=$srun_seen${srun_seen:+,}$srun_gpu
            srun_bit=$((srun_bit * 2))
        done
        ;;
    esac
}

# The GPUs of the step that are next to CPUs of task $1; all where nobody tells, or none is. BERTH_GPU_CPUS has the
# CPUs next to each of the job's GPUs, after a semicolon each but the first.
srun_see_closest() {
    srun_own_cpus "$1" || :
    if [ -z "${srun_near_1+known}" ]; then
        IFS=';'
        # shellcheck disable=SC2086
        set -- ${BERTH_GPU_CPUS-}
        unset IFS
        srun_near_1='' srun_place=0
        for srun_near; do
            srun_place=$((srun_place + 1))
            srun_expand "$srun_near"
            eval "srun_near_$srun_place=\$srun_expanded"
        done
    fi
    srun_split "$srun_cpus_own"
    srun_place=0 srun_seen=
    for srun_gpu in $srun_all_gpus; do
        srun_place=$((srun_place + 1))
        case ,$srun_step_gpus, in *,"$srun_gpu",*) ;; *) continue ;; esac
        eval "srun_near=\${srun_near_$srun_place-}"
        for srun_cpu in $srun_parts; do
            case $srun_near in *" $srun_cpu "*) srun_seen=$srun_seen${srun_seen:+,}$srun_gpu && break ;; esac
        done
    done
    srun_seen=${srun_seen:-$srun_step_gpus}
}

# Of the list $2, which has commas between its words, the one whose turn it is for task $1 is srun_word.
srun_turn() {
    srun_place=$1
    srun_split "$2"
    # shellcheck disable=SC2086
    set -- $srun_parts
    shift $((srun_place % $#))
    srun_word=$1
}

# The CPUs of task $1, with commas, are srun_cpus_own: its part of the step's, in order; all of them, and 1, if there are
# not enough.
srun_own_cpus() {
    srun_from=$(($1 * srun_cpus_per_task)) srun_cpus_own=$srun_step_cpus
    srun_split "$srun_step_cpus"
    # shellcheck disable=SC2086
    set -- $srun_parts
    [ $# -ge "$srun_from" ] && shift "$srun_from" && srun_take "$srun_cpus_per_task" "$@" && srun_cpus_own=$srun_list
}

# The CPUs of each NUMA node, or of each socket in which the step has CPUs, are srun_in_<number> as srun_expand has them;
# srun_places are the numbers, with blanks.
srun_find_places() {
    [ -z "${srun_places+known}" ] || return 0
    srun_places='' srun_known=' '
    if [ "$srun_cpu_bind" = sockets ]; then
        srun_place=0
        srun_split "$srun_step_cpus"
        for srun_cpu in $srun_parts; do
            case $srun_known in *" $srun_cpu "*) continue ;; esac
            srun_find_place "$srun_place" "${BERTH_CPU_TOPOLOGY:-/sys/devices/system/cpu}/cpu$srun_cpu/topology/package_cpus_list"
            srun_known=$srun_known$srun_expanded srun_place=$((srun_place + 1))
        done
        return
    fi
    for srun_list in "${BERTH_CPU_TOPOLOGY:-/sys/devices/system/node}"/node[0-9]*/cpulist; do
        srun_place=${srun_list%/cpulist}
        [ ! -r "$srun_list" ] || srun_find_place "${srun_place##*/node}" "$srun_list"
    done
}

srun_find_place() {
    set -- "$1" "$srun_parts" "$(cat "$2" 2>/dev/null)"
    srun_expand "$3"
    srun_parts=$2
    eval "srun_in_$1=\$srun_expanded"
    srun_places="$srun_places $1"
}

# The arguments of taskset for the step's CPUs in the places that follow are srun_bind; nothing if there are none.
srun_bind_in() {
    srun_key=srun_bind_in
    for srun_place; do srun_key=${srun_key}_$srun_place; done
    eval "srun_list=\${$srun_key-}"
    if [ -z "$srun_list" ]; then
        srun_split "$srun_step_cpus"
        for srun_cpu in $srun_parts; do
            for srun_place; do
                eval "srun_there=\${srun_in_$srun_place-}"
                case $srun_there in *" $srun_cpu "*) srun_list=$srun_list${srun_list:+,}$srun_cpu && break ;; esac
            done
        done
        eval "$srun_key=\$srun_list"
    fi
    srun_bind=${srun_list:+-c $srun_list}
}

# Leaves of the step's CPUs so many threads of each core as srun_threads says. BERTH_CPU_TOPOLOGY is another folder than the
# kernel's, for tests.
srun_thin() {
    srun_split "$srun_step_cpus"
    # A shell reads byte by byte, which not every kernel answers here.
    srun_step_cpus=$(awk -v cpus="$srun_parts" -v most="$srun_threads" \
        -v folder="${BERTH_CPU_TOPOLOGY:-/sys/devices/system/cpu}" 'BEGIN {
            count = split(cpus, all, " ")
            for (i = 1; i <= count; i++) {
                core = all[i]
                getline core <(folder "/cpu" all[i] "/topology/thread_siblings_list")
                if (seen[core]++ < most) { list = list separator all[i]; separator = "," }
            }
            print list
        }')
}

# The arguments of taskset that bind task $1 to its CPUs are srun_bind.
srun_bind_task() {
    srun_bind=
    case $srun_cpu_bind in
    '') [ -z "$srun_exact" ] || srun_bind="-c $srun_step_cpus" ;;
    cores | threads | rank) ! srun_own_cpus "$1" || srun_bind="-c $srun_cpus_own" ;;
    map_cpu:*) srun_turn "$1" "${srun_cpu_bind#*:}" && srun_bind="-c $srun_word" ;;
    mask_cpu:*) srun_turn "$1" "${srun_cpu_bind#*:}" && srun_bind=$srun_word ;;
    *)
        srun_find_places
        srun_bind_to_places "$1"
        ;;
    esac
}

# The same by the NUMA nodes or sockets of --cpu-bind.
srun_bind_to_places() {
    case $srun_cpu_bind in
    sockets | ldoms)
        srun_own_cpus "$1" || :
        srun_split "$srun_cpus_own"
        set --
        for srun_place in $srun_places; do
            eval "srun_there=\$srun_in_$srun_place"
            for srun_cpu in $srun_parts; do
                case $srun_there in *" $srun_cpu "*) set -- "$@" "$srun_place" && break ;; esac
            done
        done
        ;;
    rank_ldom)
        srun_place=$1
        # shellcheck disable=SC2086
        set -- $srun_places
        [ $# = 0 ] || { shift $((srun_place % $#)) && set -- "$1"; }
        ;;
    map_ldom:*)
        srun_turn "$1" "${srun_cpu_bind#*:}"
        set -- "$srun_word"
        ;;
    mask_ldom:*)
        srun_turn "$1" "${srun_cpu_bind#*:}"
        srun_mask=$((srun_word)) srun_place=0
        set --
        while [ "$srun_mask" -gt 0 ]; do
            [ $((srun_mask & 1)) = 0 ] || set -- "$@" "$srun_place"
            srun_mask=$((srun_mask / 2)) srun_place=$((srun_place + 1))
        done
        ;;
    esac
    srun_bind_in "$@"
}
