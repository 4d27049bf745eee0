# On which nodes the tasks of a step are, and which program each of them is. Read by srun, whose variables it uses.

# Where the tasks of TensorFlow, Paddle and XGBoost meet: the node of each and a port. BERTH_HOSTS is the node of each task;
# without it all are here. Of a single task there is none, nor of more than a thousand: they would fill the room that
# programs have for variables. Variables that the script has set stay.
srun_ends=
srun_meet() {
    [ "$srun_total" -gt 1 ] || return 0
    export WORLD_SIZE="$srun_total" LOCAL_WORLD_SIZE="$srun_tasks"
    [ "$srun_total" -le 1000 ] || return 0
    srun_cast
    export PADDLE_TRAINERS_NUM="${PADDLE_TRAINERS_NUM-$srun_total}" DMLC_NUM_WORKER="${DMLC_NUM_WORKER-$srun_total}"
    export DMLC_TRACKER_URI="${DMLC_TRACKER_URI-${MASTER_ADDR:-127.0.0.1}}" DMLC_TRACKER_PORT="${DMLC_TRACKER_PORT-${MASTER_PORT:-20000}}"
    export PADDLE_TRAINER_ENDPOINTS="${PADDLE_TRAINER_ENDPOINTS-$srun_ends}"
}

# Where the tasks of the step are is srun_ends, and srun_end_<rank> of each; what TensorFlow is told of it: srun_cluster is
# where the tasks of each type are, srun_type_<rank> the type and place of each task. All are workers, unless BERTH_TF_ROLES
# says TYPE:COUNT,... for them, in their order.
srun_cast() {
    srun_cast=$(awk -v total="$srun_total" -v hosts="${BERTH_HOSTS-}" -v port="${MASTER_PORT:-20000}" \
        -v roles="${BERTH_TF_ROLES:-worker:$srun_total}" '
        BEGIN {
            split(hosts, host, ",")
            for (n = 1; n <= total; n++) {
                at[n] = (hosts == "" ? "127.0.0.1" : host[n]) ":" (port + n - 1)
                ends = ends (n > 1 ? "," : "") at[n]
            }
            count = split(roles, role, ",")
            for (i = 1; i <= count; i++) {
                split(role[i], of, ":")
                if (role[i] !~ /^(chief|worker|ps|evaluator):[1-9][0-9]*$/ || of[1] in seen || of[2] > total - task) exit 1
                seen[of[1]]
                list = ""
                for (n = 0; n < of[2]; n++) {
                    list = list (n ? "," : "") "\"" at[++task] "\""
                    types = types (task > 1 ? " " : "") of[1] "," n
                }
                # It looks on, and is none that others reach.
                if (of[1] != "evaluator") cluster = cluster (cluster ? "," : "") "\"" of[1] "\":[" list "]"
            }
            if (task != total) exit 1
            print ends ";" cluster ";" types
        }') ||
        srun_fail "BERTH_TF_ROLES is TYPE:COUNT,... of chief, worker, ps and evaluator, of $srun_total tasks together, not '$BERTH_TF_ROLES'"
    srun_ends=${srun_cast%%;*} srun_cast=${srun_cast#*;}
    srun_cluster=${srun_cast%%;*}
    srun_number_words type "${srun_cast#*;}"
    srun_split "$srun_ends"
    srun_number_words end "$srun_parts"
}

# The words of $2 are srun_$1_0 and so on.
srun_number_words() {
    srun_place=0
    for srun_word in $2; do
        eval "srun_$1_$srun_place=\$srun_word"
        srun_place=$((srun_place + 1))
    done
}

# The variables by which task $1 of the step finds the others, beside PyTorch's.
srun_meeting() {
    [ -n "$srun_ends" ] || return 0
    [ -n "${PADDLE_TRAINER_ID+there}" ] || srun_set PADDLE_TRAINER_ID "$1"
    [ -n "${DMLC_TASK_ID+there}" ] || srun_set DMLC_TASK_ID "$1"
    eval "srun_type=\$srun_type_$1 srun_end=\$srun_end_$1"
    [ -n "${TF_CONFIG+there}" ] ||
        srun_set TF_CONFIG "{\"cluster\":{$srun_cluster},\"task\":{\"type\":\"${srun_type%,*}\",\"index\":${srun_type#*,}}}"
    [ -n "${PADDLE_CURRENT_ENDPOINT+there}" ] || srun_set PADDLE_CURRENT_ENDPOINT "$srun_end"
}

# The name of a file for task $2, by the pattern $1, is in srun_named; srun_varies says that other tasks or nodes have others.
# As sbatch's: a backslash turns all of it off and is dropped, a number fills up a number with zeros, what means nothing stays.
srun_name() {
    srun_named='' srun_rest=$1 srun_varies=
    case $1 in
    *\\*)
        while [ "$srun_rest" != "${srun_rest#*\\}" ]; do
            srun_named=$srun_named${srun_rest%%\\*} srun_rest=${srun_rest#*\\}
        done
        srun_named=$srun_named$srun_rest
        return
        ;;
    esac
    while [ "$srun_rest" != "${srun_rest#*%}" ]; do
        srun_named=$srun_named${srun_rest%%\%*} srun_rest=${srun_rest#*\%}
        srun_width=${srun_rest%%[!0-9]*}
        srun_letters=${srun_rest#"$srun_width"}
        case $srun_letters in
        %*) srun_named=$srun_named% ;;
        t*) srun_varies=1 && srun_fill "$2" ;;
        n*) srun_varies=1 && srun_fill "$srun_node" ;;
        N*) srun_varies=1 srun_named=$srun_named${SLURMD_NODENAME%%.*} ;;
        j*) srun_fill "$SLURM_JOB_ID" ;;
        J*) srun_fill "$SLURM_JOB_ID" && srun_named=$srun_named.$srun_id ;;
        s*) srun_fill "$srun_id" ;;
        A*) srun_fill "${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}" ;;
        # What Slurm writes for a job that is no array.
        a*) srun_fill "${SLURM_ARRAY_TASK_ID:-4294967294}" ;;
        u*) srun_named=$srun_named${SLURM_JOB_USER-} ;;
        x*) srun_named=$srun_named${SLURM_JOB_NAME-} ;;
        *) srun_named=$srun_named% && continue ;;
        esac
        srun_rest=${srun_letters#?}
    done
    srun_named=$srun_named$srun_rest
}

# Adds a number to srun_named, filled up with zeros to srun_width, at most ten digits.
srun_fill() {
    srun_width=${srun_width#"${srun_width%%[!0]*}"} srun_filled=$1
    case $srun_width in ??*) srun_width=10 ;; esac
    while [ ${#srun_filled} -lt "${srun_width:-0}" ]; do srun_filled=0$srun_filled; done
    srun_named=$srun_named$srun_filled
}

# The step is on this node alone.
srun_here() {
    if [ "$srun_job_nodes" = 1 ]; then
        srun_tasks=${srun_tasks:-${srun_per_node:-${SLURM_NTASKS:-1}}}
    else
        srun_first=${SLURM_TASKS_PER_NODE:-1}
        srun_tasks=${srun_tasks:-${srun_per_node:-${srun_first%%[(,]*}}}
    fi
    srun_node=0 srun_nodes=1 srun_names=$SLURMD_NODENAME srun_total=$srun_tasks srun_per_each=$srun_tasks
    srun_ranks=0 srun_rank=1
    while [ "$srun_rank" -lt "$srun_tasks" ]; do
        srun_ranks=$srun_ranks,$srun_rank
        srun_rank=$((srun_rank + 1))
    done
}

# What BERTH_PART says: the step's number, this node's place in it, the ranks here; of the whole step tasks, nodes, names
# of nodes and tasks on each; of a step on several components also this node's place in its own, and how many nodes that has.
srun_take_part() {
    read -r srun_id srun_node srun_ranks srun_total srun_nodes srun_names srun_per_each srun_share_node srun_share_nodes <<EOF
$BERTH_PART
EOF
    srun_count "$srun_ranks"
    srun_tasks=$srun_counted srun_part=1
    unset BERTH_PART BERTH_PART_OF
    [ -z "$srun_share_nodes" ] || srun_be_whole
}

# Whether tasks may be on other nodes than this.
srun_is_elsewhere() {
    [ -z "$srun_entered" ] || return 1
    if [ "$srun_job_nodes" = 1 ] && [ -z "$srun_component" ]; then
        [ "${srun_nodes:-1}" = 1 ] || srun_fail "Only allocated 1 nodes asked for $srun_nodes"
        case ${srun_nodelist:-$SLURMD_NODENAME} in
        "$SLURMD_NODENAME") return 1 ;;
        *) srun_fail "the job holds $SLURMD_NODENAME, not $srun_nodelist" ;;
        esac
    fi
    srun_want || return 0
    if [ -n "$srun_component" ]; then
        until srun_choose; do srun_busy; done
        return 0
    fi
    # What other nodes have to do, the first of the job's knows.
    case ${BERTH_STEP_NODES-} in
    "$SLURMD_NODENAME":*)
        until srun_choose; do srun_busy; done
        [ "$srun_nodelist" != "$SLURMD_NODENAME" ]
        ;;
    *) [ "$srun_wanted" != 1 ] ;;
    esac
}

# On how many nodes the step is to be, is srun_wanted; 1 where others find out which: the options name nodes, or want more than
# there are.
srun_want() {
    [ -z "$srun_nodelist$srun_excluded$srun_relative" ] || return 1
    srun_wanted=${srun_nodes:-$srun_job_nodes}
    [ "$srun_wanted" -le "$srun_job_nodes" ] || return 1
    [ "$srun_wanted" -le "${srun_tasks:-$srun_wanted}" ] || srun_wanted=$srun_tasks
}

# Takes the first of the job's nodes that have room for the step, as many as are wanted, and its number; 1 if there are
# fewer.
srun_choose() {
    srun_lock
    if srun_find_room; then
        srun_next
        srun_hold "$srun_taken_nodes"
        exec 7>&-
        return 0
    fi
    exec 7>&-
    return 1
}

srun_lock() {
    exec 7>"$BERTH_STEPS/lock" && flock 7 || srun_fail "cannot lock $BERTH_STEPS"
}

# With the lock: the first nodes with room for the step, as many as are wanted; 1 if there are fewer.
srun_find_room() {
    srun_taken_nodes=$(srun_roomy)
    [ "$(echo "$srun_taken_nodes" | grep -c .)" = "$srun_wanted" ] || return 1
    srun_nodelist=$(echo "$srun_taken_nodes" | cut -d' ' -f1 | paste -sd, -) srun_nodes=$srun_wanted
}

# What the step takes stands in a file of its number: the process that holds it, and of each node the CPUs and GPUs.
srun_hold() {
    printf '%s\n' "$srun_me" ${1:+"$1"} >"$srun_claimed.$srun_id"
}

# With the lock: a line for each node on which the step has room, with the CPUs and GPUs that it takes there. One that asks
# for more than a node has is let through: it is told so there.
srun_roomy() {
    srun_gpus_of_tasks
    for srun_step in "$srun_claimed".*; do
        [ -e "$srun_step" ] || continue
        read -r srun_pid srun_began <"$srun_step" || continue
        srun_start_time "$srun_pid" 2>/dev/null
        # A step that ends meanwhile takes nothing.
        [ "$srun_birth" != "$srun_began" ] || sed 1d "$srun_step" 2>/dev/null
    done | awk -v wanted="$srun_wanted" -v tasks="$srun_tasks" -v each="$srun_per_node" -v exact="$srun_exact" \
        -v overlap="$srun_overlap" -v cpus_of_task="${srun_cpus_per_task:-${SLURM_CPUS_PER_TASK:-1}}" -v gpus="$srun_gpus" \
        -v in_sum="$srun_total_gpus" -v gpus_of_task="$srun_gpus_per_task" -v gpus_there="${SLURM_GPUS_ON_NODE:-0}" \
        -v nodes="$BERTH_STEP_NODES" '
        function least(a, b) { return a < b ? a : b }
        { cpus_held[$1] += $2; gpus_held[$1] += $3 }
        END {
            count = split(nodes, job, ",")
            for (i = 1; i <= count && found < wanted; i++) {
                split(job[i], node, ":")
                here = tasks ? int((tasks + wanted - 1) / wanted) : each ? each : node[2]
                c = exact ? least(here * cpus_of_task, node[3]) : node[3]
                g = gpus_of_task ? here * gpus_of_task : gpus == "" ? gpus_there : in_sum ? int((gpus + wanted - 1) / wanted) : gpus
                g = least(g, gpus_there)
                if (overlap) c = g = 0
                if (cpus_held[node[1]] + c > node[3] || gpus_held[node[1]] + g > gpus_there) continue
                print node[1], c, g
                found++
            }
        }'
}

# The rows and columns of the terminal are in srun_size.
srun_measure() {
    srun_size=$(stty size 2>/dev/null)
    case $srun_size in '' | *' 0' | '0 '*) srun_size='24 80' ;; esac
}

# Turns into the runtime of the step's container, in which this program runs again, as the node's agent says.
srun_enter() {
    case $srun_container in /*) ;; *) srun_container=$PWD/$srun_container ;; esac
    srun_id=$$-${srun_me#* } srun_file=$BERTH_STEPS/enter.$$ srun_patience=1000
    srun_size='0 0'
    [ ! -t 0 ] || [ ! -t 1 ] || [ ! -t 2 ] || srun_measure
    srun_ask container "${srun_size% *}x${srun_size#* } $srun_container" || srun_fail "--container needs the node's agent, which does not answer"
    . "${BERTH_STEPS%/*}/told/container.$srun_id"
    srun_fail "the container did not start"
}

# Starts the step on nodes of its job, or of one of its components.
srun_on_nodes() {
    srun_may_be_elsewhere
    srun_claims=
    if [ -z "$srun_id" ]; then
        srun_lock
        srun_next
        [ -n "$srun_overlap" ] || { srun_claims=$srun_claimed && srun_hold ''; }
        exec 7>&-
    fi
    srun_empty_for_all
    if [ -n "$srun_bcast" ]; then
        (cd -- "${srun_directory:-.}" && shift "$srun_taken" && srun_broadcast "$1" "$srun_nodelist") || {
            rm -f "$srun_claimed.$srun_id"
            exit 1
        }
        unset BERTH_BCAST
    fi
    srun_start_parts "words=$#" "$@" "$(srun_plan)"
}

# Where --bcast has the program of the step is srun_copy; on a node that is, with its name: srun_by_node.
srun_place_of_copy() {
    srun_copy=$srun_bcast srun_by_node=
    case $srun_bcast in
    */) srun_copy=${srun_bcast}slurm_bcast_$SLURM_JOB_ID.${srun_id}_$SLURMD_NODENAME srun_by_node=1 ;;
    esac
}

# Copies the program $1 to the nodes $2 of the job, all if it is empty. Where BERTH_BCAST says what it is like, a login host
# hands it over before the step's input.
srun_broadcast() {
    srun_program_file=$1
    case ${BERTH_BCAST:+/}$1 in
    */*) ;;
    *)
        IFS=:
        for srun_folder in $PATH; do
            [ ! -f "$srun_folder/$1" ] || [ ! -x "$srun_folder/$1" ] || { srun_program_file=$srun_folder/$1 && break; }
        done
        unset IFS
        ;;
    esac
    srun_place_of_copy
    "${0%/*}/sbcast" --force --preserve ${srun_component:+"--component=$srun_component"} ${2:+"--nodelist=$2"} \
        ${BERTH_BCAST:+"--caller=$BERTH_BCAST"} ${srun_by_node:+--by-node} \
        -- "$srun_program_file" "${srun_copy%"${srun_by_node:+_$SLURMD_NODENAME}"}" ||
        srun_fail "$1 could not be copied to all nodes of the step"
    unset BERTH_BCAST
}

srun_may_be_elsewhere() {
    [ -n "${BERTH_STEP_SECRET-}" ] ||
        srun_fail "a step on several nodes needs a script that runs on the first of the job's alone: give -N1 here"
}

# Empties the files that all tasks write.
srun_empty_for_all() {
    [ -z "$srun_append" ] || return 0
    for srun_pattern in "$srun_output" "$srun_error"; do
        [ -n "$srun_pattern" ] || continue
        srun_name "$srun_pattern" 0
        [ -n "$srun_varies" ] || (cd -- "${srun_directory:-.}" && : >"$srun_named") || exit 1
    done
}

# What berth-session is to know of a step on the nodes of one job: a line for each.
srun_plan() {
    srun_need_cpus
    printf '%s\n' "component=$srun_component" "kill=$srun_kill" "nodes=$srun_nodes" "tasks=$srun_tasks" \
        "perNode=$srun_per_node" "cpus=${srun_cpus_per_task:-${SLURM_CPUS_PER_TASK:-1}}" \
        "nodelist=$srun_nodelist" "exclude=$srun_excluded" "relative=$srun_relative" \
        "distribution=$srun_distribution" "due=$srun_due" "claims=$srun_claims" "exact=$srun_exact"
}

# Stands for berth-session in a container: has the node's agent start it outside, with the arguments and variables of this
# process, and hands on what it reads and writes, and its exit status.
srun_be_outside() {
    srun_id=$$-${srun_me#* } srun_file=$BERTH_STEPS/outside.$$ srun_patience=1000
    exec 6<&0
    mkfifo -m 600 "$srun_file.in" "$srun_file.out" "$srun_file.err" || exit 1
    cat <"$srun_file.out" 6<&- &
    srun_relays=$!
    cat <"$srun_file.err" >&2 6<&- &
    srun_relays="$srun_relays $!"
    cat >"$srun_file.in" <&6 6<&- &
    # shellcheck disable=SC2064
    trap "kill -s KILL $srun_relays $! 2>/dev/null; rm -f '$srun_file'.*" EXIT
    srun_ask outside || srun_fail "a step on several nodes needs the node's agent, which does not answer"
    [ -z "$srun_told" ] || srun_fail "$srun_told"
    # They end when nobody writes any more.
    # shellcheck disable=SC2086
    wait $srun_relays
    read -r srun_status <"$srun_file.status" || srun_status=1
    exit "$srun_status"
}

# Starts this program once on each node of the step, as the words that follow tell berth-session, and ends with the highest
# of their exit statuses. What steers them is not to be ended by signals, which are the tasks': they go there by way of a pipe.
srun_start_parts() {
    srun_size=
    if [ -n "${SLURM_CONTAINER-}" ]; then
        [ -z "$srun_pty" ] || srun_fail "--pty of another node is not there in a container"
        # Each part begins outside of the container, and comes into one of its node.
        srun_word_count=${1#words=}
        shift
        set -- "words=$((srun_word_count + 1))" "--container=$SLURM_CONTAINER" "$@"
    fi
    [ -z "$srun_pty" ] || srun_measure
    srun_pipe=$BERTH_STEPS/signals.$srun_id
    mkfifo -m 600 "$srun_pipe" && exec 5<>"$srun_pipe" 6<&0 || exit 1
    trap 'rm -f "$srun_pipe" "$BERTH_STEPS/nodes.$srun_id" "$BERTH_STEPS"/group-*."nodes.$srun_id"' EXIT
    for srun_signal in HUP INT TERM USR1 USR2; do
        # shellcheck disable=SC2064
        trap "echo $srun_signal >&5" "$srun_signal"
    done
    (
        trap '' HUP INT TERM USR1 USR2
        set -- "id=$srun_id" "signals=$srun_pipe" "srun=$0" "terminal=$srun_size" "$@"
        [ -n "${SLURM_CONTAINER-}" ] || exec "${0%/*}/berth-session" --step "$@"
        exec sh "$0" --outside "$@"
    ) <&6 5<&- 6<&- &
    exec 6<&-
    srun_await $!
    exit "$srun_status"
}

# That each line of BERTH_PROGRAMS has ranks and a program, and that each task has one, where it is known already how many
# there are. The words are srun's; $1 is how many of those that follow are options, and after these comes the file's name.
srun_check_programs() {
    shift $(($1 + 1))
    srun_known=$srun_tasks
    case $srun_job_nodes,$srun_nodes in
    1, | 1,1) srun_known=${srun_known:-${srun_per_node:-${SLURM_NTASKS:-1}}} ;;
    esac
    srun_wrong=$(printf '%s\n' "$BERTH_PROGRAMS" | awk -v tasks="${srun_known:-0}" '
        /^[ \t]*(#|$)/ { next }
        {
            at = NR
            line = $0
            while (sub(/\\$/, "", line) && (getline more) > 0) line = line more
            if (line !~ /^[ \t]*(\*|[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)[ \t]+[^ \t]/) {
                print "Line " at " of", "invalid: ranks such as 0-3,7 or *, a program and its arguments"
                failed = 1
                exit
            }
            list = $1
            if (list == "*") all = 1
            count = split(list, parts, ",")
            for (i = 1; i <= count && list != "*"; i++) {
                last = split(parts[i], ends, "-")
                for (rank = ends[1] + 0; rank <= ends[last] + 0 && rank < tasks; rank++) has[rank] = 1
            }
        }
        END {
            for (rank = 0; rank < tasks && !failed && !all; rank++) {
                if (!(rank in has)) { print "Configuration file", "invalid, no record for task id " rank; exit }
            }
        }
    ')
    case $srun_wrong in
    Line*) srun_fail "${srun_wrong%% invalid*} configuration file $1 invalid${srun_wrong#* invalid}" ;;
    Conf*) srun_fail "Configuration file $1 ${srun_wrong#Configuration file }" ;;
    esac
}

# The words of the program of task $1, a word a line after a =, as BERTH_PROGRAMS has them: lines of ranks (0-3,7 or * for all others),
# a program and its arguments, in which %t is the rank and %o its place among those of its line. What stands in single
# quotes is taken as it is; \ at the end of a line goes on in the next.
srun_program() {
    printf '%s\n' "$BERTH_PROGRAMS" | awk -v rank="$1" '
        function mine(list, n, parts, i, ends, last) {
            n = split(list, parts, ",")
            place = 0
            for (i = 1; i <= n; i++) {
                last = split(parts[i], ends, "-")
                if (rank >= ends[1] + 0 && rank <= ends[last] + 0) { place += rank - ends[1]; return 1 }
                place += ends[last] - ends[1] + 1
            }
            return 0
        }
        function words(text, i, c, word, begun, quote) {
            for (i = 1; i <= length(text); i++) {
                c = substr(text, i, 1)
                if (quote == "" && (c == "\"" || c == "\047")) { quote = c; begun = 1 }
                else if (c == quote) quote = ""
                else if (quote == "" && (c == " " || c == "\t")) { if (begun) print "=" word; word = ""; begun = 0 }
                else if (quote != "\047" && c == "%" && substr(text, i + 1, 1) ~ /[to]/) {
                    word = word (substr(text, ++i, 1) == "t" ? rank : place); begun = 1
                } else { word = word c; begun = 1 }
            }
            if (begun) print "=" word
        }
        { rank += 0 }
        /^[ \t]*(#|$)/ { next }
        {
            line = $0
            while (sub(/\\$/, "", line) && (getline more) > 0) line = line more
            sub(/^[ \t]+/, "", line)
            list = line
            sub(/[ \t].*/, "", list)
            sub(/^[^ \t]+[ \t]*/, "", line)
            if (list == "*") { others = line; next }
            if (mine(list)) { found = 1; words(line); exit }
        }
        END {
            if (!found && others != "") { found = 1; place = rank; words(others) }
            exit !found
        }
    ' && return
    echo "srun: error: task $1 has no program in the configuration of --multi-prog" >&2
    return 1
}
