# Steps of a heterogeneous job: on one of its components, or on several. Read by srun, whose variables it uses.

# Whether a ':' parts programs of a step, or --het-group names several components.
srun_is_of_several() {
    case $srun_group in
    *[,-]*)
        srun_list_components "$srun_group"
        case $srun_listed in *' '*' '*' '*) return 0 ;; esac
        ;;
    esac
    [ -n "${SLURM_HET_SIZE-}" ] || return 1
    for srun_word; do
        [ "$srun_word" != : ] || return 0
    done
    return 1
}

# The components in a list such as 0,2-3 are srun_listed, each once.
srun_list_components() {
    case $1 in
    *[!0-9,-]* | '') srun_fail "--het-group is the number of a component, or a list such as 0,2-3, not '$1'" ;;
    esac
    srun_split "$1"
    srun_listed=' '
    for srun_range in $srun_parts; do
        srun_first=${srun_range%%-*} srun_end=${srun_range#*-}
        case ${srun_first:-x}${srun_end:-x} in *[!0-9]* | ????????*)
            srun_fail "--het-group is the number of a component, or a list such as 0,2-3, not '$1'"
            ;;
        esac
        [ "$srun_first" -le "$srun_end" ] || srun_fail "--het-group=$1: $srun_range goes backwards"
        [ "$srun_end" -lt "${SLURM_HET_SIZE:-1}" ] ||
            srun_fail "Attempt to run a job step with het group value of $srun_end, but the job allocation has maximum value of $((${SLURM_HET_SIZE:-1} - 1))"
        for srun_number in $(seq "$srun_first" "$srun_end"); do
            case $srun_listed in *" $srun_number "*) ;; *) srun_listed="$srun_listed$srun_number " ;; esac
        done
    done
}

# Has the step in the component of a heterogeneous job that --het-group names, where it is not the script's own.
srun_turn_to_component() {
    [ -n "$srun_group" ] || return 0
    srun_list_components "$srun_group"
    srun_listed=${srun_listed# }
    [ "${srun_listed% }" = 0 ] || srun_turn_to "${srun_listed% }"
}

# From here on the job is component $1.
srun_turn_to() {
    srun_component=$1
    srun_claim_of "$1"
    unset SLURM_NTASKS_PER_NODE
    # shellcheck disable=SC2154
    [ "${MASTER_ADDR-}" != "${MASTER_ADDR_HET_GROUP_0-}" ] || srun_of_component MASTER_ADDR
    for srun_variable in SLURM_JOB_ID SLURM_JOB_ACCOUNT SLURM_JOB_PARTITION SLURM_JOB_QOS SLURM_JOB_NODELIST SLURM_NODELIST \
        SLURM_JOB_NUM_NODES SLURM_NNODES SLURM_NTASKS SLURM_NPROCS SLURM_TASKS_PER_NODE SLURM_JOB_CPUS_PER_NODE \
        SLURM_CPUS_PER_TASK SLURM_GPUS SLURM_GPUS_PER_TASK SLURM_GPUS_ON_NODE BERTH_STEP_NODES; do
        srun_of_component "$srun_variable"
    done
    export SLURM_JOBID="$SLURM_JOB_ID"
    case $srun_per_gpu,$srun_tasks$srun_gpus$srun_total_gpus in ?*,) srun_tasks_of_all_gpus ;; esac
}

# The files of what steps hold on nodes of component $1 are srun_claimed, but for the number.
srun_claim_of() {
    srun_claimed=$BERTH_STEPS/nodes
    [ "$1" = 0 ] || srun_claimed=$BERTH_STEPS/group-$1.nodes
}

# Gives the variable $1 the component's value.
srun_of_component() {
    eval "export \"$1=\${$1_HET_GROUP_$srun_component-}\""
}

# A step on several components: each has a part of the words, between which there is a ':'. The first part is that of component
# 0 and so on, where --het-group does not say other. A part without a program has that of the next. Tasks are numbered over all,
# in the order of the components.
srun_over_components() {
    srun_assign_parts "$@"
    srun_may_be_elsewhere
    until srun_choose_all "$@"; do srun_busy; done
    for srun_each in $srun_assigned; do
        (srun_component=${srun_each%,*} && srun_go_to_part "${srun_each#*,}" "$@" && srun_empty_for_all) || exit 1
    done
    srun_word_count=$#
    for srun_each in $srun_assigned; do
        eval "set -- \"\$@\" \"\$srun_plan_${srun_each%,*}\""
    done
    srun_start_parts "words=$srun_word_count" "$@"
}

# Which part each component has is in srun_assigned: COMPONENT,PART. The first part has been read.
srun_assign_parts() {
    srun_number_of_part=0 srun_assigned=' '
    while :; do
        [ -z "$srun_multi" ] || srun_of_one_part "$@"
        [ -z "$srun_pty" ] || srun_fail "--pty is for one task on one node"
        srun_list_components "${srun_group:-$srun_number_of_part}"
        for srun_number in $srun_listed; do
            case $srun_assigned in
            *" $srun_number,"*) srun_fail "Duplicate het groups in single srun not supported" ;;
            esac
            srun_assigned="$srun_assigned$srun_number,$srun_number_of_part "
        done
        shift "$srun_taken"
        [ $# -gt 0 ] || srun_fail "no program to run"
        while [ "${1-:}" != : ]; do shift; done
        [ $# -gt 0 ] || break
        shift
        srun_number_of_part=$((srun_number_of_part + 1))
        srun_next_part "$@"
    done
    # shellcheck disable=SC2086
    srun_assigned=$(printf '%s\n' $srun_assigned | sort -n)
}

# One list of programs is for all tasks, wherever they are.
srun_of_one_part() {
    [ "$srun_number_of_part" = 0 ] || srun_fail "--multi-prog is for all components alike, and no part's"
    for srun_word; do
        [ "$srun_word" != : ] || srun_fail "--multi-prog is for all components alike: --het-group names them, and no ':'"
    done
}

# Reads the options of the part that begins here, after those before it.
srun_next_part() {
    srun_forget_own
    [ "$srun_memory_per" = --mem ] || srun_memory=0 srun_memory_per=''
    srun_read "$@"
}

# Reads the options of part $1, from 0, of the words that follow; as srun_taken is left where its program begins.
srun_go_to_part() {
    srun_parts_left=$1 srun_passed=0
    shift
    srun_forget
    srun_read "$@"
    while [ "$srun_parts_left" -gt 0 ]; do
        shift "$srun_taken"
        srun_passed=$((srun_passed + srun_taken + 1))
        while [ "$1" != : ]; do
            shift
            srun_passed=$((srun_passed + 1))
        done
        shift
        srun_next_part "$@"
        srun_parts_left=$((srun_parts_left - 1))
    done
    shift "$srun_taken"
    srun_taken=$((srun_passed + srun_taken))
    [ "$1" != : ] || srun_taken=$((srun_taken + $(srun_to_program "$@")))
}

# In a shell of its own: how many words it is from here, a ':', to the next program.
srun_to_program() {
    srun_passed=0
    while [ "$1" = : ]; do
        shift
        srun_read "$@"
        shift "$srun_taken"
        srun_passed=$((srun_passed + srun_taken + 1))
    done
    echo "$srun_passed"
}

# The tasks of a step on several components see one job: that of the first component, with all nodes of the step.
srun_be_whole() {
    export SLURM_JOB_ID="$SLURM_JOB_ID_HET_GROUP_0" SLURM_JOBID="$SLURM_JOB_ID_HET_GROUP_0"
    export SLURM_JOB_NODELIST="$srun_names" SLURM_NODELIST="$srun_names" SLURM_JOB_NUM_NODES="$srun_nodes"
}

# Takes nodes of all components and the step's number, or nothing, and 1. The plan of component 2 is srun_plan_2.
srun_choose_all() {
    srun_lock
    for srun_each in $srun_assigned; do
        srun_planned=$(srun_choose_in "$srun_each" "$@")
        case $? in
        0) eval "srun_plan_${srun_each%,*}=\$srun_planned" ;;
        75)
            exec 7>&-
            return 1
            ;;
        *) exit 1 ;;
        esac
    done
    srun_next
    for srun_each in $srun_assigned; do
        srun_claim_of "${srun_each%,*}"
        eval "srun_planned=\$srun_plan_${srun_each%,*}"
        srun_hold "$(echo "$srun_planned" | sed -n 's/^held=//p')"
    done
    exec 7>&-
}

# With the lock, in a shell of its own: prints the plan of a component, $1 is COMPONENT,PART, and what it takes of its nodes; 75
# if others hold these.
srun_choose_in() {
    srun_component=${1%,*} srun_number_of_part=${1#*,}
    shift
    srun_go_to_part "$srun_number_of_part" "$@"
    srun_turn_to "$srun_component"
    srun_job_nodes=${SLURM_JOB_NUM_NODES:-1} srun_claims='' srun_taken_nodes=''
    if srun_want; then
        srun_find_room || exit 75
    elif [ -z "$srun_overlap" ]; then
        srun_claims=$srun_claimed
    fi
    srun_plan
    echo "part=$srun_number_of_part"
    [ -z "$srun_taken_nodes" ] || echo "$srun_taken_nodes" | sed 's/^/held=/'
}
