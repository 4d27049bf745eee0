package io.berth.cli;

import java.util.HashMap;
import java.util.Map;

/// What the options of `sbatch`, `srun` and `salloc` mean, in a few words each: for help and for
/// completion. What is different from Slurm says docs/slurm-compatibility.md.
final class OptionMeanings {

    private static final Map<String, String> OF = new HashMap<>();

    static {
        table(
                """
                account: whom the job is booked to
                array: a job for each index: 0-9, 1,3,5, 0-99:4%8
                bcast: copy the program to the nodes first
                begin: not before this time: 16:00, now+1hour, 2027-01-20
                bell: ring when the allocation is there
                chdir: the directory it runs in
                comment: a remark on the job
                constraint: features its nodes have: a100&nvme
                container: a folder on the nodes in which it runs
                contiguous: nodes side by side
                cores-per-socket: nodes with so many at least
                cpu-bind: which CPUs each task is bound to
                cpus-per-gpu: CPUs for each GPU
                cpus-per-task: CPUs of each task
                deadline: end the job if it cannot be done by then
                dependency: when others have begun or ended: afterok:17
                distribution: how tasks are dealt out to nodes: block or cyclic
                error: the file for errors
                exact: a step has only the CPUs that it asks for
                exclude: not on these nodes
                exclusive: no other job on its nodes; =user: but the same user's
                export: variables that it gets: ALL, NONE or a list
                export-file: a file of variables that it gets
                extra-node-info: sockets[:cores[:threads]] of a node at least
                gpu-bind: which GPUs each task sees
                gpus: GPUs of the job: 8, a100:8
                gpus-per-node: GPUs on each node
                gpus-per-socket: GPUs of each socket
                gpus-per-task: GPUs of each task
                gres: GPUs, parts of them and other resources on each node: gpu:2, shard:1
                gres-flags: disable-binding
                help: this text
                external-launcher: a step for the daemons of MPI: a task on each node, beside all others
                het-group: components whose nodes the step is on
                hint: multithread, nomultithread or compute_bound
                hold: do not start it before it is released
                immediate: give up if it cannot start at once, or in so many seconds
                input: the file that it reads
                jobid: in this job
                job-name: its name
                kill-command: which signal the program gets when the job ends
                kill-on-bad-exit: a task that fails ends the others
                kill-on-invalid-dep: end the job if its dependency can never be: yes or no
                label: the task's number before each line
                licenses: licenses that it holds: matlab:2
                mail-type: mail when: BEGIN, END, FAIL, ALL and others
                mail-user: where mail goes
                mem: memory on each node: 64G; 0 is all
                mem-bind: none or local
                mem-per-cpu: memory for each CPU
                mem-per-gpu: memory for each GPU
                mincpus: CPUs on each node at least
                mpi: none, or list
                multi-prog: each task's program by a file
                nice: points off its priority
                no-kill: off
                no-requeue: never start it again
                no-shell: leave the allocation, without a shell
                nodefile: a file that lists its nodes
                nodelist: on these nodes
                nodes: how many nodes: 4, 2-4
                ntasks: how many tasks
                ntasks-per-core: tasks on each core at most
                ntasks-per-gpu: tasks for each GPU
                ntasks-per-node: tasks on each node
                ntasks-per-socket: tasks on each socket at most
                open-mode: append to its files, or truncate them
                output: the file for output: slurm-%j.out
                overcommit: more tasks than CPUs, those of one task on each node
                overlap: a step shares what others have
                oversubscribe: it may have its CPUs together with others
                parsable: tell the job's number alone
                partition: in this partition; of several the first that can
                prefer: features its nodes have rather, where it can start on such
                priority: points; operators
                propagate: limits of this shell that it gets
                pty: with a terminal
                qos: its quality of service
                quiet: say nothing but errors
                relative: from this node of the job on
                requeue: start it again if it loses a node
                reservation: on the nodes of this reservation
                step test-only: outside of jobs say when it would start; in one check the step alone
                step wait: nothing: a step ends with its last task
                segment: so many nodes in one block of the network each
                signal: a signal before its time is up: B:USR1@60
                sockets-per-node: nodes with so many at least
                spread-job: over as many nodes as it can
                switches: under so many switches, for which it waits: 1@10:00
                tasks-per-node: tasks on each node
                test-only: say when it would start, and do not submit it
                threads-per-core: nodes with so many at least
                time: its time limit: 30, 4:00:00, 1-12
                time-min: the time limit may be lowered to this
                tmp: nodes with so much room in /tmp at least
                tres-per-task: cpu:4,gres/gpu:1
                usage: this text
                use-min-nodes: of a range no more nodes than it must have
                user: for this user; admins
                version: Berth's version
                wait: until it has ended, and exit with its exit code
                wait-all-nodes: 0 or 1; all nodes are ready when it starts
                wrap: this command in place of a script
                """);
    }

    private OptionMeanings() {}

    private static void table(String text) {
        text.lines()
                .forEach(line -> {
                    int colon = line.indexOf(": ");
                    OF.put(line.substring(0, colon), line.substring(colon + 2));
                });
    }

    /// Of a long option where it is a step's.
    static String ofStep(String longName) {
        return OF.getOrDefault("step " + longName, of(longName));
    }

    /// Of a long option; "" of one that has none here.
    static String of(String longName) {
        return OF.getOrDefault(longName, "");
    }
}
