/* Starts the tasks of a step that are on this node, sends them the signals that srun sends here, waits for their ends and
 * says which of them failed. Its exit status is the highest of theirs. Where it is not, srun-tasks.sh does the same.
 *
 * Arguments: a file; -K, if a task that fails takes the others along, else -; the node's name; where to ask the node's
 * agent for groups of the tasks, or -; where it answers; the program of the tasks.
 *
 * The file has the words of each task, ended by a NUL each, and an empty one after them. What a word is its first letter
 * says:  n rank   x (it cannot be started)   v NAME=VALUE   w WORD of a program of its own
 *        i, o, e FILE of input, output, errors   j (errors go where the output goes)   l LABEL of its lines
 *        c CPUs, as 0-3,7   m CPUs, as a hexadecimal mask   g GPUs that it opens, if not all of the step's
 * It is removed when signals are waited for: before that none must be sent. Beside it, by the same name and .now, is written
 * which processes the tasks are, a line for each:  task RANK PROCESS  and at the end, by the same name and .used, what
 * those that ended had used, as the kernel tells it of each with the descendants that it waited for, in a line:
 *        TASKS CPU MEMORY READ WRITTEN, of all; then a rank and an amount each: least CPU, most MEMORY, READ, WRITTEN
 * CPU in milliseconds; MEMORY in KiB, of a task that of its largest process; the others in blocks of 512 bytes.
 *
 * Or --ask, a file, the name under which it is put to be read, where the answer comes, and how long that is waited for, in
 * hundredths of a second. Its exit status is then 0 if the answer is there.
 *
 * Tasks that are to have groups wait at a pipe until the agent has moved them there, or does not answer in time. What it is
 * asked is a line for each:  RANK PROCESS CPUS GPUS  with - for what is as for all of the step. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FILE_NAME = 1, KILL, NODE, ASK, ANSWER, PROGRAM, USAGE = 2, NOT_RUN = 126, NOT_FOUND = 127, SIGNALLED = 128, HEX_DIGIT = 4 };

/* How often an answer is looked for, in milliseconds. */
enum { PATIENCE = 2000 };

/* And in a hundredth of a second, with a pause of half a millisecond after each. */
enum { LOOKS = 20 };

/* In bytes; execvpe(3) has the path of a program on it. */
enum { LEAST_STACK = 1 << 16 };

struct task {
    char *words;
    const char *rank;
    const char *cpus; /* the word that says them */
    const char *gpus;
    const char *input; /* It opens this itself, as a pipe lets nobody open it until somebody writes. */
    char **variables;
    char **command;
    char number[sizeof "SLURM_TASK_PID=" + 10]; /* It writes its own here. */
    pid_t process; /* 0 when it runs no more */
    int status;
    bool ended; /* and not one that never ran */
    bool signalled, dumped;
    struct rusage used;
};

/* The pipe at which tasks wait, for a byte each; none if they do not. Nobody else keeps its end for writing open, so that
 * they end with this program. */
static int gate[2] = {-1, -1};

static void complain(const char *act, const char *subject)
{
    fprintf(stderr, "srun: error: %s %s: %s\n", act, subject, strerror(errno));
}

/* Where a task begins that shares the memory of this program until it is another. */
static char *stack;
static size_t stack_size;

extern char **environ;

static _Noreturn void fail(const char *act, const char *subject)
{
    complain(act, subject);
    exit(EXIT_FAILURE);
}

/* What is after a word. */
static char *after(char *word)
{
    return word + strlen(word) + 1;
}

/* All that is in a file, with two NULs behind it: one ends a word, the other a task. */
static char *read_all(const char *name, char **end)
{
    int file = open(name, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0)
        fail("cannot open", name);
    size_t size = (size_t)status.st_size, done = 0;
    char *text = calloc(size + 2, 1);
    if (text == NULL)
        fail("cannot read", name);
    while (done < size) {
        ssize_t length = read(file, text + done, size - done);
        if (length <= 0)
            fail("cannot read", name);
        done += (size_t)length;
    }
    close(file);
    *end = text + size;
    return text;
}

/* The CPUs of a list; none if it is not one. */
static cpu_set_t listed(const char *list)
{
    cpu_set_t cpus, none;
    CPU_ZERO(&cpus);
    CPU_ZERO(&none);
    for (char *end; isdigit((unsigned char)*list); list = end + 1) {
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (*end == '-' && isdigit((unsigned char)end[1]))
            last = strtoul(end + 1, &end, 10);
        if (last >= CPU_SETSIZE)
            return none;
        for (unsigned long cpu = first; cpu <= last; cpu++)
            CPU_SET(cpu, &cpus);
        if (*end == '\0')
            return cpus;
        if (*end != ',')
            return none;
    }
    return none;
}

/* The CPUs of a mask, the last digit of which is of the first; none if it is not one. */
static cpu_set_t masked(const char *mask)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    if (strncasecmp(mask, "0x", 2) == 0)
        mask += 2;
    size_t digits = strlen(mask);
    bool right = digits * HEX_DIGIT <= CPU_SETSIZE && strspn(mask, "0123456789abcdefABCDEF") == digits;
    for (size_t i = 0; right && i < digits; i++) {
        const char digit[] = {mask[digits - 1 - i], '\0'};
        unsigned long bits = strtoul(digit, NULL, 16);
        for (size_t bit = 0; bit < HEX_DIGIT; bit++)
            if (bits >> bit & 1)
                CPU_SET(i * HEX_DIGIT + bit, &cpus);
    }
    return cpus;
}

static cpu_set_t cpus_of(const char *word)
{
    return *word == 'c' ? listed(word + 1) : masked(word + 1);
}

/* Writes CPUs as a list; - for none. */
static void write_cpus(FILE *out, const char *word)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    if (word != NULL)
        cpus = cpus_of(word);
    if (CPU_COUNT(&cpus) == 0)
        fputc('-', out);
    const char *comma = "";
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &cpus)) {
            fprintf(out, "%s%d", comma, cpu);
            comma = ",";
        }
}

/* Waits for the word to go on; ends if this program did. */
static void await_word(void)
{
    char byte;
    if (gate[0] < 0)
        return;
    close(gate[1]);
    if (read(gate[0], &byte, 1) != 1)
        _exit(EXIT_FAILURE);
}

/* Ends a task that cannot begin, and nothing of the program whose memory it may share. */
static _Noreturn void give_up(const char *act, const char *subject, int status)
{
    complain(act, subject);
    _exit(status);
}

static void bind_to(const char *word)
{
    cpu_set_t cpus = cpus_of(word);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0)
        give_up("cannot bind a task to the CPUs", word + 1, EXIT_FAILURE);
}

/* A task, and the files that its output and errors go to. */
struct beginning {
    struct task *task;
    const int *files;
};

/* Turns into the task. */
static int become(void *argument)
{
    const struct beginning *beginning = argument;
    struct task *task = beginning->task;
    const int *files = beginning->files;
    await_word();
    /* The shell has its background commands ignore some, and a script may others. */
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int input = task->input == NULL ? STDIN_FILENO : open(task->input, O_RDONLY | O_CLOEXEC);
    if (input < 0)
        give_up("cannot open", task->input, EXIT_FAILURE);
    if (input != STDIN_FILENO && dup2(input, STDIN_FILENO) < 0)
        give_up("cannot open the files of task", task->rank, EXIT_FAILURE);
    for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++)
        if (files[file] != file && dup2(files[file], file) < 0)
            give_up("cannot open the files of task", task->rank, EXIT_FAILURE);
    if (task->cpus != NULL)
        bind_to(task->cpus);
    snprintf(task->number, sizeof task->number, "SLURM_TASK_PID=%d", getpid());
    execvpe(task->command[0], task->command, task->variables);
    int error = errno;
    give_up("cannot run", task->command[0], error == ENOENT ? NOT_FOUND : NOT_RUN);
}

/* Whether two variables have one name. */
static bool same_name(const char *one, const char *other)
{
    size_t length = strcspn(one, "=");
    return strncmp(one, other, length) == 0 && other[length] == '=';
}

/* Puts a variable among others, in the place of the one of its name. Their number. */
static size_t put_variable(char **variables, size_t count, char *variable)
{
    size_t place = 0;
    while (place < count && !same_name(variable, variables[place]))
        place++;
    variables[place] = variable;
    return place == count ? count + 1 : count;
}

/* Finds the words of a task's own program, and its variables: this program's with its own. Whether there is room for them. */
static bool equip(struct task *task, char **program)
{
    size_t inherited = 0, own = 0, count = 0, words = 0;
    while (environ[inherited] != NULL)
        inherited++;
    for (char *word = task->words; *word != '\0'; word = after(word)) {
        own += *word == 'v';
        words += *word == 'w';
    }
    task->variables = calloc(inherited + own + 2, sizeof(char *));
    char **command = calloc(words + 1, sizeof(char *));
    if (task->variables == NULL || command == NULL)
        return false;
    memcpy(task->variables, environ, inherited * sizeof(char *));
    for (char *word = task->words; *word != '\0'; word = after(word)) {
        if (*word == 'v')
            inherited = put_variable(task->variables, inherited, word + 1);
        else if (*word == 'w')
            command[count++] = word + 1;
    }
    snprintf(task->number, sizeof task->number, "SLURM_TASK_PID=");
    put_variable(task->variables, inherited, task->number);
    task->command = words == 0 ? program : command;
    return true;
}

/* A stack on which a task can begin: execvpe(3) copies the words of the command for a shell. Whether there is one. */
static bool make_stack(char **command)
{
    size_t words = 0, size = LEAST_STACK;
    while (command[words] != NULL)
        words++;
    size += words * sizeof(char *) / sizeof(max_align_t) * sizeof(max_align_t);
    if (size > stack_size) {
        free(stack);
        stack = aligned_alloc(sizeof(max_align_t), size);
        stack_size = stack == NULL ? 0 : size;
    }
    return stack != NULL;
}

/* Starts the process of a task; -1 if there can be none. One that waits for nobody shares this program's memory, which is not
 * copied then, and stops it until it has turned into the task's program. */
static pid_t begin(struct task *task, char **program, const int *files)
{
    struct beginning beginning = {.task = task, .files = files};
    bool waits = gate[0] >= 0 || (task->input != NULL && strcmp(task->input, "/dev/null") != 0);
    if (!equip(task, program) || !make_stack(task->command))
        return -1;
    return clone(become, stack + stack_size, (waits ? 0 : CLONE_VM | CLONE_VFORK) | SIGCHLD, &beginning);
}

/* Writes the lines that come from a pipe, each whole, after a label. */
static _Noreturn void label(int source, int target, const char *text)
{
    char *line = NULL;
    size_t size = 0;
    FILE *in = fdopen(source, "re"), *out = fdopen(target, "we");
    if (in == NULL || out == NULL || setvbuf(out, NULL, _IOFBF, 1 << 16) != 0)
        _exit(EXIT_FAILURE);
    for (ssize_t length = getline(&line, &size, in); length > 0; length = getline(&line, &size, in)) {
        fputs(text, out);
        fwrite(line, 1, (size_t)length, out);
        if (fflush(out) != 0)
            _exit(EXIT_FAILURE);
    }
    _exit(EXIT_SUCCESS);
}

/* The end of a pipe whose lines a process labels on their way to a file; -1 if there can be none. Signals are the tasks':
 * the process that labels, in which they are blocked, ends with the task's files. */
static int labelled(int target, const char *text, int *children)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t process = fork();
    if (process == 0) {
        close(ends[1]);
        if (gate[1] >= 0)
            close(gate[1]);
        label(ends[0], target, text);
    }
    int error = errno;
    close(ends[0]);
    if (process < 0) {
        close(ends[1]);
        errno = error;
        return -1;
    }
    ++*children;
    return ends[1];
}

/* Puts a file in the place of another, which may be one of this program's own. */
static bool put(int *place, int file, const char *name)
{
    if (file < 0) {
        complain("cannot open", name);
        return false;
    }
    if (*place > STDERR_FILENO)
        close(*place);
    *place = file;
    return true;
}

/* Opens a file to which a task writes. */
static bool open_output(int *place, const char *name)
{
    return put(place, open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666), name);
}

/* Starts a task, and what labels its lines. What it opens here lets nobody wait: srun has emptied it. */
static void start(struct task *task, char **program, int *children)
{
    int files[] = {[STDOUT_FILENO] = STDOUT_FILENO, [STDERR_FILENO] = STDERR_FILENO};
    bool possible = true;
    for (char *word = task->words; possible && *word != '\0'; word = after(word)) {
        const char *said = word + 1;
        switch (*word) {
        case 'n': task->rank = said; break;
        case 'x': possible = false; break;
        case 'i': task->input = said; break;
        case 'c':
        case 'm': task->cpus = word; break;
        case 'g': task->gpus = said; break;
        case 'o': possible = open_output(&files[STDOUT_FILENO], said); break;
        case 'e': possible = open_output(&files[STDERR_FILENO], said); break;
        case 'j':
            possible = put(&files[STDERR_FILENO], fcntl(files[STDOUT_FILENO], F_DUPFD_CLOEXEC, 3), "the output");
            break;
        case 'l':
            for (int file = STDOUT_FILENO; possible && file <= STDERR_FILENO; file++)
                possible = put(&files[file], labelled(files[file], said, children), "a pipe");
            break;
        default: break; /* The task's own. */
        }
    }
    pid_t process = possible ? begin(task, program, files) : -1;
    if (possible && process < 0)
        complain("cannot start task", task->rank);
    task->process = process < 0 ? 0 : process;
    task->status = process < 0;
    *children += process > 0;
    for (int file = STDOUT_FILENO; file <= STDERR_FILENO; file++)
        if (files[file] > STDERR_FILENO)
            close(files[file]);
}

/* Writes what is asked of the agent for the tasks that wait. */
static bool write_ask(const char *name, const struct task *tasks, size_t count)
{
    FILE *out = fopen(name, "we");
    if (out == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (tasks[i].process == 0)
            continue;
        fprintf(out, "%s %ld ", tasks[i].rank, (long)tasks[i].process);
        write_cpus(out, tasks[i].cpus);
        fprintf(out, " %s\n", tasks[i].gpus == NULL ? "-" : tasks[i].gpus);
    }
    return fclose(out) == 0;
}

/* Says what the agent has answered, if it says something. */
static void tell(const char *node, const char *name)
{
    char text[512];
    FILE *in = fopen(name, "re");
    if (in != NULL && fgets(text, sizeof text, in) != NULL)
        fprintf(stderr, "srun: warning: %s: %s", node, text);
    if (in != NULL)
        fclose(in);
}

/* Asks the agent for groups of the tasks, waits for its answer, and lets them go. */
static void hold(const struct task *tasks, size_t count, char **argument)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    char name[strlen(argument[FILE_NAME]) + sizeof ".ask"];
    sprintf(name, "%s.ask", argument[FILE_NAME]);
    bool asked = write_ask(name, tasks, count) && rename(name, argument[ASK]) == 0;
    for (int looks = 0; asked && access(argument[ANSWER], F_OK) != 0; looks++) {
        if (looks == PATIENCE) {
            unlink(argument[ASK]); /* Nobody is to move them any more. */
            asked = false;
        }
        nanosleep(&pause, NULL);
    }
    if (asked)
        tell(argument[NODE], argument[ANSWER]);
    else
        fprintf(stderr, "srun: warning: %s: the node's agent does not answer: tasks have no groups of their own\n",
                argument[NODE]);
    for (size_t i = 0; i < count; i++)
        if (write(gate[1], "", 1) != 1)
            fail("cannot start", argument[PROGRAM]);
    close(gate[0]);
    close(gate[1]);
}

/* Puts a file where it is read, if it is not there yet, and waits for the answer. Whether none comes. */
static int ask(const char *file, const char *asked, const char *answer, long hundredths)
{
    const struct timespec pause = {.tv_nsec = 500000};
    if (rename(file, asked) != 0 && errno != ENOENT)
        return EXIT_FAILURE;
    for (long looks = hundredths * LOOKS; access(answer, F_OK) != 0; looks--) {
        if (looks <= 0)
            return EXIT_FAILURE;
        nanosleep(&pause, NULL);
    }
    return EXIT_SUCCESS;
}

/* Says which processes the tasks are. That it cannot be said is no failure of theirs. */
static void tell_processes(const char *name, const struct task *tasks, size_t count)
{
    FILE *out = fopen(name, "we");
    if (out == NULL)
        return;
    for (size_t i = 0; i < count; i++)
        if (tasks[i].process > 0)
            fprintf(out, "task %s %ld\n", tasks[i].rank, (long)tasks[i].process);
    fclose(out);
}

static void send_all(const struct task *tasks, size_t count, int number)
{
    for (size_t i = 0; i < count; i++)
        if (tasks[i].process > 0)
            kill(tasks[i].process, number);
}

/* Takes note of the ends that there are. How many. */
static int bury(struct task *tasks, size_t count, bool together)
{
    int status, ends = 0;
    struct rusage used;
    for (pid_t ended = wait4(-1, &status, WNOHANG, &used); ended > 0; ended = wait4(-1, &status, WNOHANG, &used)) {
        ends++;
        for (size_t i = 0; i < count; i++) {
            if (tasks[i].process != ended)
                continue;
            tasks[i].process = 0;
            tasks[i].ended = true;
            tasks[i].used = used;
            tasks[i].signalled = WIFSIGNALED(status);
            tasks[i].dumped = WIFSIGNALED(status) && WCOREDUMP(status);
            tasks[i].status = WIFSIGNALED(status) ? SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
            if (together && tasks[i].status != 0)
                send_all(tasks, count, SIGTERM);
        }
    }
    return ends;
}

/* Until all have ended. Of the signals only those that srun sends are for the tasks: what others send to all of the job's
 * processes reaches these by itself. */
static void await_ends(struct task *tasks, size_t count, int children, const sigset_t *awaited, bool together)
{
    while (children > 0) {
        siginfo_t info;
        int number = sigwaitinfo(awaited, &info);
        if (number == SIGCHLD)
            children -= bury(tasks, count, together);
        else if (number > 0 && info.si_pid == getppid())
            send_all(tasks, count, number);
    }
}

/* What is told of a task's use, and the order in which that is. */
enum { CPU, MEMORY, READ, WRITTEN, KINDS };

static long amount(const struct rusage *used, int kind)
{
    switch (kind) {
    case CPU:
        return (used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000 +
               (used->ru_utime.tv_usec + used->ru_stime.tv_usec) / 1000;
    case MEMORY: return used->ru_maxrss;
    case READ: return used->ru_inblock;
    default: return used->ru_oublock;
    }
}

/* Leaves what the tasks have used. That it cannot be told is no failure of theirs. */
static void tell_used(const char *name, const struct task *tasks, size_t count)
{
    const struct task *most[KINDS] = {0};
    long sums[KINDS] = {0}, ended = 0;
    for (size_t i = 0; i < count; i++) {
        if (!tasks[i].ended)
            continue;
        ended++;
        for (int kind = 0; kind < KINDS; kind++) {
            long mine = amount(&tasks[i].used, kind), best = most[kind] == NULL ? 0 : amount(&most[kind]->used, kind);
            sums[kind] += mine;
            if (most[kind] == NULL || (kind == CPU ? mine < best : mine > best))
                most[kind] = &tasks[i];
        }
    }
    FILE *out = ended == 0 ? NULL : fopen(name, "we");
    if (out == NULL)
        return;
    fprintf(out, "%ld", ended);
    for (int kind = 0; kind < KINDS; kind++)
        fprintf(out, " %ld", sums[kind]);
    for (int kind = 0; kind < KINDS; kind++)
        fprintf(out, " %s %ld", most[kind]->rank, amount(&most[kind]->used, kind));
    fputc('\n', out);
    fclose(out);
}

static bool alike(const struct task *one, const struct task *other)
{
    return one->status == other->status && one->signalled == other->signalled && one->dumped == other->dumped;
}

/* Says of the first of these tasks, and of all that ended as it did, how that was, in a line as Slurm's srun: 0-2,5 are their
 * ranks. */
static void tell_end(const char *node, const struct task *tasks, size_t count)
{
    char *text = NULL;
    size_t size, several = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        fail("cannot tell how tasks ended on", node);
    for (size_t i = 0; i < count; i++) {
        if (!alike(&tasks[0], &tasks[i]))
            continue;
        long first = strtol(tasks[i].rank, NULL, 10), last = first;
        fprintf(out, "%s%s", several++ > 0 ? "," : "", tasks[i].rank);
        while (i + 1 < count && alike(&tasks[0], &tasks[i + 1]) && strtol(tasks[i + 1].rank, NULL, 10) == last + 1)
            i++, last++;
        if (last > first)
            fprintf(out, "-%ld", last), several++;
    }
    fprintf(out, ": ");
    if (tasks[0].signalled)
        fprintf(out, "%s%s", strsignal(tasks[0].status - SIGNALLED), tasks[0].dumped ? " (core dumped)" : "");
    else
        fprintf(out, "Exited with exit code %d", tasks[0].status);
    fclose(out);
    fprintf(stderr, "srun: error: %s: task%s %s\n", node, several > 1 ? "s" : "", text);
    free(text);
}

int main(int arguments, char **argument)
{
    if (arguments == 6 && strcmp(argument[1], "--ask") == 0)
        return ask(argument[2], argument[3], argument[4], strtol(argument[5], NULL, 10));
    if (arguments <= PROGRAM) {
        fprintf(stderr, "usage: srun-tasks FILE -K|- NODE ASK|- ANSWER PROGRAM [ARGUMENT...] | --ask FILE ASK ANSWER HUNDREDTHS\n");
        return USAGE;
    }
    const int forwarded[] = {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD};
    sigset_t awaited;
    sigemptyset(&awaited);
    for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++)
        sigaddset(&awaited, forwarded[i]);
    sigprocmask(SIG_BLOCK, &awaited, NULL);
    signal(SIGCHLD, SIG_DFL);
    char *end, *text = read_all(argument[FILE_NAME], &end);
    unlink(argument[FILE_NAME]);
    bool held = strcmp(argument[ASK], "-") != 0;
    if (held && pipe2(gate, O_CLOEXEC) != 0)
        fail("cannot start", argument[PROGRAM]);

    size_t count = 0;
    struct task *tasks = NULL;
    int children = 0;
    for (char *word = text; word < end; word = after(word)) {
        struct task *more = realloc(tasks, (count + 1) * sizeof *tasks);
        if (more == NULL)
            fail("cannot start", argument[PROGRAM]);
        tasks = more;
        tasks[count] = (struct task){.words = word, .rank = "?"};
        start(&tasks[count++], argument + PROGRAM, &children);
        while (*word != '\0')
            word = after(word);
    }
    char beside[strlen(argument[FILE_NAME]) + sizeof ".used"];
    sprintf(beside, "%s.now", argument[FILE_NAME]);
    tell_processes(beside, tasks, count);
    if (held)
        hold(tasks, count, argument);
    await_ends(tasks, count, children, &awaited, strcmp(argument[KILL], "-K") == 0);
    sprintf(beside, "%s.used", argument[FILE_NAME]);
    tell_used(beside, tasks, count);

    int worst = 0;
    for (size_t i = 0; i < count; i++) {
        if (tasks[i].status == 0)
            continue;
        size_t before_it = 0;
        while (before_it < i && !alike(&tasks[before_it], &tasks[i]))
            before_it++;
        if (before_it == i)
            tell_end(argument[NODE], tasks + i, count - i);
        if (tasks[i].status > worst)
            worst = tasks[i].status;
    }
    return worst;
}
