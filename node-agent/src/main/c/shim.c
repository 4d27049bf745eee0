/* Holds one task: starts it, waits for it and writes how it ended. It stands outside the group that is limited and
 * killed, and outlives the agent. It does what shim.sh and task.sh do together, in one program: see there.
 *
 * Arguments: the run's folder, then the variables that mark the task's processes; or --serve and a file that lists groups
 * to be entered by their control files, to stay there and do what each order says that is read; or --as, an account (its
 * uid, gid and groups, with commas between them) and a command, to become the account and turn into that. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TASK "berth-task"
#define BORN "born in its group"

enum { WORD = 9, FAILED = 125, NOT_RUN = 126, NOT_FOUND = 127, MARKS = 2, MOST_WORDS = 16, DEEP = 16, MOST_GROUPS = 65536 };

/* How long the file systems may take to answer, in seconds, and how often in one it is looked whether that is still asked. */
enum { FILES_LIMIT = 30, LOOKS = 20, PAUSE = 1000000000 / LOOKS };

static _Noreturn void fail(const char *act, const char *subject)
{
    fprintf(stderr, "%s %s: %s\n", act, subject, strerror(errno));
    exit(FAILED);
}

static FILE *opened(const char *file, const char *mode)
{
    FILE *stream = fopen(file, mode);
    if (stream == NULL)
        fail("cannot open", file);
    return stream;
}

/* Makes a file that was written whole appear under its name. */
static void publish(FILE *stream, const char *temporary, const char *file)
{
    if (fclose(stream) != 0)
        fail("cannot write", temporary);
    if (rename(temporary, file) != 0)
        fail("cannot rename to", file);
}

/* When this process began, in clock ticks since boot. Source: proc_pid_stat(5). */
static unsigned long long start_time(void)
{
    char text[4096];
    FILE *stat = opened("/proc/self/stat", "re");
    size_t length = fread(text, 1, sizeof text - 1, stat);
    fclose(stat);
    text[length] = '\0';
    /* What follows the name, which may hold anything, begins with the third field. */
    char *field = strrchr(text, ')');
    for (int number = 2; field != NULL && number < 22; number++)
        field = strchr(field + 1, ' ');
    if (field == NULL)
        fail("cannot read", "/proc/self/stat");
    return strtoull(field, NULL, 10);
}

/* The next line of a file without its end; nothing at the file's end. */
static char *next_line(FILE *stream, char **line, size_t *size)
{
    ssize_t length = getline(line, size, stream);
    if (length <= 0)
        return NULL;
    if ((*line)[length - 1] == '\n')
        (*line)[length - 1] = '\0';
    return *line;
}

/* Whether a control file is of version 2. */
static bool is_v2(const char *file)
{
    struct statfs system;
    return statfs(file, &system) == 0 && system.f_type == CGROUP2_SUPER_MAGIC;
}

/* Puts this process into a group. */
static bool enter(const char *entrance)
{
    int file = open(entrance, O_WRONLY | O_CLOEXEC);
    bool entered = file >= 0 && write(file, "0\n", 2) == 2;
    if (file >= 0)
        close(file);
    return entered;
}

/* born: whether it is in the group of version 2 already */
static void enter_groups(bool born)
{
    char *line = NULL;
    size_t size = 0;
    FILE *entrances = opened("entrances", "re");
    while (next_line(entrances, &line, &size) != NULL) {
        if (born && is_v2(line))
            continue;
        if (!enter(line))
            fail("cannot enter", line);
    }
    fclose(entrances);
    free(line);
}

/* Tells that the task is ready, and how it came into its groups. */
static void try_devices(bool born)
{
    char *line = NULL;
    size_t size = 0;
    FILE *devices = opened("devices", "re");
    FILE *ready = opened("ready.new", "we");
    fprintf(ready, "pid %ld\n%s", (long)getpid(), born ? "born\n" : "");
    while (next_line(devices, &line, &size) != NULL) {
        int device = open(line, O_RDONLY | O_CLOEXEC);
        if (device < 0) {
            fprintf(ready, "refused %s %s\n", line, strerror(errno));
        } else {
            fprintf(ready, "opened %s\n", line);
            close(device);
        }
    }
    fclose(devices);
    free(line);
    publish(ready, "ready.new", "ready");
}

/* Whether the node was not heard for so long that its runs end. The lease, which the agent renews, holds a time since
 * boot; where there is none runs go on, and so does what nobody ordered: a trial. */
static int lease_is_over(void)
{
    FILE *lease = fopen("../../lease", "re");
    if (lease == NULL)
        return 0;
    if (access("intent", F_OK) != 0) {
        fclose(lease);
        return 0;
    }
    unsigned long long until;
    int read = fscanf(lease, "%llu", &until);
    fclose(lease);
    struct timespec now;
    if (read != 1 || clock_gettime(CLOCK_BOOTTIME, &now) != 0)
        return 0;
    return (unsigned long long)now.tv_sec * 1000 + (unsigned long long)now.tv_nsec / 1000000 > until;
}

/* Kills all that are in a group now; what else is found there is passed over. */
static int kill_group(const char *folder, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)place;
    char *file = NULL;
    if (type != FTW_D || asprintf(&file, "%s/cgroup.procs", folder) < 0)
        return 0;
    FILE *group = fopen(file, "re");
    long pid;
    while (group != NULL && fscanf(group, "%ld", &pid) == 1)
        if (pid > 1)
            kill((pid_t)pid, SIGKILL);
    if (group != NULL)
        fclose(group);
    free(file);
    return 0;
}

/* Kills all that are in the task's groups, and in the groups in these, now. */
static void kill_groups(void)
{
    char *line = NULL;
    size_t size = 0;
    FILE *groups = opened("groups", "re");
    while (next_line(groups, &line, &size) != NULL)
        nftw(line, kill_group, DEEP, FTW_PHYS);
    fclose(groups);
    free(line);
}

/* Ends the task and what it has started. What cannot be killed at once is killed again by who calls again. */
static void fence(pid_t task)
{
    if (access("fenced", F_OK) != 0) {
        FILE *mark = opened("fenced.new", "we");
        publish(mark, "fenced.new", "fenced");
    }
    kill_groups();
    kill(task, SIGKILL);
}

/* Waits for the task's end, which it brings about when the node's lease is over. SIGCHLD is blocked. */
static int await_end(pid_t task)
{
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGCHLD);
    const struct timespec second = {.tv_sec = 1};
    for (;;) {
        int status;
        pid_t ended = waitpid(task, &status, WNOHANG);
        if (ended == task)
            return status;
        if (ended < 0 && errno != EINTR)
            fail("cannot wait for", "the task");
        if (lease_is_over())
            fence(task);
        sigtimedwait(&end, NULL, &second);
    }
}

#ifdef CLONE_INTO_CGROUP
/* The group of version 2 that the task is to enter; -1 if there is none. */
static int open_group(void)
{
    char *line = NULL;
    size_t size = 0;
    int group = -1;
    FILE *entrances = opened("entrances", "re");
    while (group < 0 && next_line(entrances, &line, &size) != NULL) {
        char *name = strrchr(line, '/');
        if (name == NULL || !is_v2(line))
            continue;
        *name = '\0';
        group = open(line, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    fclose(entrances);
    free(line);
    return group;
}
#endif

/* Forks the task, into its group of version 2 where the kernel (5.7) can: before it moves a process from one group to
 * another it waits until it may be sure that none forks or ends, 10 ms and more. */
static pid_t fork_task(bool *born)
{
    pid_t task = -1;
#ifdef CLONE_INTO_CGROUP
    int group = open_group();
    if (group >= 0) {
        struct clone_args how = {
            .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (unsigned long long)group};
        task = (pid_t)syscall(SYS_clone3, &how, sizeof how);
        close(group);
    }
#endif
    *born = task >= 0;
    return *born ? task : fork();
}

/* The kernel's default action for each signal, and none blocked, whatever this program was started with: a shell that begins a
 * command in the background, and nohup, have it ignore some, and no shell undoes that. */
static void reset_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Becomes the task: this program once more, with the marks as its environment, by which others know it. */
static _Noreturn void become_task(bool born, int count, char **marks)
{
    reset_signals();
    int failure = open("failure", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (failure < 0 || dup2(failure, STDERR_FILENO) < 0)
        exit(FAILED);
    close(failure);
    if (setsid() < 0)
        fail("cannot begin", "a session");
    char **environment = calloc((size_t)count + 2, sizeof *environment);
    const char *path = getenv("PATH");
    if (environment == NULL || asprintf(&environment[0], "PATH=%s", path == NULL ? "/usr/bin:/bin" : path) < 0)
        fail("cannot set", "PATH");
    for (int mark = 0; mark < count; mark++)
        environment[mark + 1] = marks[mark];
    char *arguments[] = {TASK, born ? BORN : NULL, NULL};
    execve("/proc/self/exe", arguments, environment);
    fail("cannot run", "/proc/self/exe");
}

/* An account by its numbers. */
struct account {
    uid_t uid;
    gid_t gid;
    gid_t *groups;
    size_t count;
};

/* The number that is all of a text; false if it is none that an account or a group can have. */
static bool number(const char *text, unsigned long *found)
{
    char *end;
    *found = strtoul(text, &end, 10);
    errno = EINVAL;
    return *text >= '0' && *text <= '9' && *end == '\0' && *found < (uid_t)-1;
}

/* Reads uid, gid and groups; false if they are none, or those of root. */
static bool read_account(char **words, struct account *account)
{
    unsigned long uid, gid, group;
    if (!number(words[0], &uid) || !number(words[1], &gid) || uid == 0)
        return false;
    *account = (struct account){.uid = (uid_t)uid, .gid = (gid_t)gid, .groups = calloc(MOST_GROUPS, sizeof(gid_t))};
    if (account->groups == NULL)
        return false;
    char *rest = words[2];
    for (char *each = strsep(&rest, ","); each != NULL; each = strsep(&rest, ",")) {
        if (account->count == MOST_GROUPS || !number(each, &group))
            return false;
        account->groups[account->count++] = (gid_t)group;
    }
    return true;
}

/* Becomes the account, for good and without a right of root. */
static bool become(const struct account *account)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
    return setgroups(account->count, account->groups) == 0 &&
           setresgid(account->gid, account->gid, account->gid) == 0 &&
           setresuid(account->uid, account->uid, account->uid) == 0 && syscall(SYS_capset, &header, none) == 0;
}

/* Reads the account that the code runs under, a line of uid, gid and groups; false if it is the agent's own. */
static bool read_own_account(struct account *account)
{
    char *line = NULL;
    size_t size = 0;
    FILE *stream = fopen("account", "re");
    if (stream == NULL)
        return false;
    char *rest = next_line(stream, &line, &size);
    fclose(stream);
    char *words[3];
    for (int number = 0; number < 3; number++)
        words[number] = strsep(&rest, " ");
    errno = EINVAL;
    if (words[2] == NULL || !read_account(words, account))
        fail("cannot read", "account");
    free(line);
    return true;
}

/* Waits for a line. */
static void await_word(int word)
{
    char read_one = '\0';
    while (read_one != '\n') {
        ssize_t length = read(word, &read_one, 1);
        if (length == 0 || (length < 0 && errno != EINTR))
            fail("cannot read", "go");
    }
}

/* The account must not have the file of failures open, which is on the spool's disk. */
static void close_failure(void)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, STDERR_FILENO) < 0)
        fail("cannot open", "/dev/null");
    close(nothing);
}

static char *after(char *word)
{
    return word + strlen(word) + 1;
}

/* Puts an opened file in the place of one that a program begins with. */
static void put(const char *name, int how, int place)
{
    int file = open(name, how | O_CLOEXEC, 0666);
    if (file < 0 || dup2(file, place) < 0)
        fail("cannot open", name);
}

/* Turns into the program that words say, of which StartScript tells. */
static _Noreturn void become_program(char *word, const char *end)
{
    enum { UMASK, FOLDER, INPUT, OUTPUT, ERROR, KINDS };
    char *said[KINDS], own[sizeof "SLURM_TASK_PID=" + 20], *folder;
    /* There are fewer words than bytes. */
    char **environment = calloc((size_t)(end - word) + 3, sizeof *environment), **variable = environment;
    char **arguments = calloc((size_t)(end - word) + 1, sizeof *arguments), **argument = arguments;
    for (int kind = 0; kind < KINDS; kind++, word = word < end ? after(word) : word)
        said[kind] = word;
    umask((mode_t)strtoul(said[UMASK], NULL, 8));
    if (environment == NULL || arguments == NULL || chdir(said[FOLDER]) != 0 || asprintf(&folder, "PWD=%s", said[FOLDER]) < 0)
        fail("cannot enter", said[FOLDER]);
    snprintf(own, sizeof own, "SLURM_TASK_PID=%d", getpid());
    *variable++ = own;
    for (; word < end && *word != '\0'; word = after(word)) {
        *variable++ = word;
        if (strncmp(word, "PWD=", 4) == 0)
            folder = NULL;
    }
    *variable = folder;
    for (word++; word < end; word = after(word))
        *argument++ = word;
    put(said[INPUT], O_RDONLY, STDIN_FILENO);
    put(said[OUTPUT], O_WRONLY | O_CREAT | O_APPEND, STDOUT_FILENO);
    if (*said[ERROR] != '\0')
        put(said[ERROR], O_WRONLY | O_CREAT | O_APPEND, STDERR_FILENO);
    else if (dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
        fail("cannot open", said[OUTPUT]);
    execvpe(arguments[0] == NULL ? "" : arguments[0], arguments, environment);
    int error = errno;
    fprintf(stderr, "cannot run %s: %s\n", arguments[0] == NULL ? "nothing" : arguments[0], strerror(error));
    exit(error == ENOENT ? NOT_FOUND : NOT_RUN);
}

/* Turns into what `job/begin` says: if that begins with a NUL by its words, each ended by another, else by the shell. */
static void become_begin(void)
{
    int file = open("job/begin", O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0)
        fail("cannot open", "job/begin");
    char *text = calloc((size_t)status.st_size + 1, 1);
    ssize_t length = text == NULL ? -1 : read(file, text, (size_t)status.st_size);
    close(file);
    if (length > 1 && *text == '\0')
        become_program(text + 1, text + length);
    free(text);
    execl("/bin/sh", "sh", "job/begin", (char *)NULL);
}

/* What a task does until it is the run's code, once it has the word: the shell's text in `start`. For that the shell waits, which
 * it is told by its file 9, as task.sh does: it is loaded meanwhile. Of another account it is what `job/begin` says, and no process
 * of the account is there before the word. */
static _Noreturn void be_task(bool born)
{
    struct account account;
    int word = open("go", O_RDWR | O_CLOEXEC);
    if (word < 0)
        fail("cannot open", "go");
    bool switched = read_own_account(&account);
    enter_groups(born);
    try_devices(born);
    if (switched) {
        await_word(word);
        if (!become(&account))
            fail("cannot become", "the account");
        close_failure();
        become_begin();
    } else if (dup2(word, WORD) < 0 || (word == WORD && fcntl(word, F_SETFD, 0) < 0)) {
        fail("cannot open", "go");
    } else {
        execl("/bin/sh", "sh", "-c", "read -r word <&9; . ./start", "./start", (char *)NULL);
    }
    fail("cannot run", "/bin/sh");
}

/* Whether the status is on the disk. */
static bool kept(int status)
{
    FILE *end = fopen("exit.new", "we");
    if (end == NULL)
        return false;
    if (WIFSIGNALED(status))
        fprintf(end, "signal %d\n", WTERMSIG(status));
    else
        fprintf(end, "exit %d\n", WEXITSTATUS(status));
    bool written = fflush(end) == 0 && fsync(fileno(end)) == 0;
    int error = errno;
    fclose(end);
    errno = error;
    return written;
}

/* On the disk before it appears, and so is its name. What the run came to is worth waiting for room. */
static void write_exit(int status)
{
    while (!kept(status)) {
        if (errno != ENOSPC && errno != EDQUOT)
            fail("cannot write", "exit.new");
        sleep(1);
    }
    if (rename("exit.new", "exit") != 0)
        fail("cannot rename to", "exit");
    int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
}

/* Turns into a command, as an account. */
static _Noreturn void run_as(char **words)
{
    struct account account;
    if (!read_account(words, &account) || !become(&account))
        fail("cannot become the account", words[0]);
    execvp(words[3], words + 3);
    fail("cannot run", words[3]);
}

/* Says in a file what is wrong with the folder and the files of a script, and empties those that it writes. Whether all is
 * well. An empty word stands behind the files. */
static bool try_as(const struct account *account, char **files, FILE *said)
{
    const char *folder = files[0], *input = files[1];
    int how = strcmp(files[2], "append") == 0 ? O_APPEND : O_TRUNC;
    umask((mode_t)strtoul(files[3], NULL, 8));
    if (!become(account)) {
        fprintf(said, "cannot become the account: %s\n", strerror(errno));
        return false;
    }
    if (chdir(folder) != 0) {
        fprintf(said, "working directory %s does not exist, or may not be entered\n", folder);
        return false;
    }
    if (access(input, R_OK) != 0) {
        fprintf(said, "cannot read the input file %s\n", input);
        return false;
    }
    for (char **output = files + 4; **output != '\0'; output++) {
        struct stat status;
        /* A device or a pipe: opening it may wait or take effect. */
        if (stat(*output, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
            continue;
        int file = open(*output, O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC | how, 0666);
        if (file < 0) {
            fprintf(said, "cannot open the output file %s: %s\n", *output, strerror(errno));
            return false;
        }
        close(file);
    }
    return true;
}

/* Whether the trial goes on: the agent takes the mark away when nobody waits for it any more. */
static bool is_wanted(void)
{
    return access("trying", F_OK) == 0;
}

/* Waits for the end of a trial, which is of an account whose processes may stop it. Whether it came to one. It is killed
 * else, and not waited for then: it may hang in the kernel. */
static bool ended(pid_t trial)
{
    const struct timespec pause = {.tv_nsec = PAUSE};
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGCHLD);
    for (int looks = FILES_LIMIT * LOOKS; looks > 0 && is_wanted(); looks--) {
        int status;
        if (waitpid(trial, &status, WNOHANG) == trial)
            return WIFEXITED(status);
        sigtimedwait(&end, NULL, &pause);
    }
    kill(trial, SIGKILL);
    return false;
}

/* Tries the files of a script, as its account, and says in the run's folder what is wrong with them: nothing if all is well. */
static _Noreturn void try_files(const char *folder, char **words)
{
    struct account account;
    signal(SIGCHLD, SIG_DFL);
    sigset_t end, before;
    sigemptyset(&end);
    sigaddset(&end, SIGCHLD);
    sigprocmask(SIG_BLOCK, &end, &before);
    umask(077);
    if (chdir(folder) != 0)
        fail("cannot enter", folder);
    FILE *said = opened("tried.new", "we");
    pid_t trial = read_account(words, &account) ? fork() : -1;
    if (trial == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        bool right = try_as(&account, words + 3, said);
        fflush(said);
        _exit(right ? 0 : FAILED);
    }
    if (trial < 0)
        fprintf(said, "cannot try the files of the script: %s\n", strerror(errno));
    else if (!ended(trial))
        fprintf(said, "the file systems of the script's files did not answer\n");
    if (is_wanted())
        publish(said, "tried.new", "tried");
    _exit(0);
}

/* Holds the task of the run in that folder. */
static void hold(const char *folder, int count, char **marks)
{
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    umask(077);
    if (setsid() < 0 && errno != EPERM)
        fail("cannot begin", "a session");
    if (chdir(folder) != 0)
        fail("cannot enter", folder);
    FILE *self = opened("shim.new", "we");
    fprintf(self, "%ld %llu\n", (long)getpid(), start_time());
    publish(self, "shim.new", "shim");
    if (mkfifo("go", 0600) != 0)
        fail("cannot make", "go");
    sigset_t end;
    sigemptyset(&end);
    sigaddset(&end, SIGCHLD);
    sigprocmask(SIG_BLOCK, &end, NULL);
    bool born;
    pid_t task = fork_task(&born);
    if (task < 0)
        fail("cannot fork", "the task");
    if (task == 0)
        become_task(born, count, marks);
    int status = await_end(task);
    /* What the task has left behind ends with it. */
    if (access("fenced", F_OK) == 0)
        kill_groups();
    write_exit(status);
}

/* Tells the run in that folder that it has no shim. */
static void tell_unforked(const char *folder)
{
    int error = errno;
    if (chdir(folder) != 0)
        fail("cannot enter", folder);
    FILE *failure = opened("failure", "we");
    fprintf(failure, "cannot fork the shim: %s\n", strerror(error));
    fclose(failure);
    if (!kept(FAILED << 8) || rename("exit.new", "exit") != 0)
        fail("cannot write", "exit");
}

/* The words of the next order, each ended by a NUL, up to an empty one, which stays behind them. Their number; 0 at the end of
 * the orders. */
static int next_order(char **words, size_t *sizes)
{
    for (int count = 0; count < MOST_WORDS; count++) {
        ssize_t length = getdelim(&words[count], &sizes[count], '\0', stdin);
        if (length <= 0)
            return 0;
        if (length == 1)
            return count;
    }
    errno = E2BIG;
    fail("cannot read", "an order");
}

/* Leaves the agent's own groups, of which others may end all that is there. What cannot be entered is done without. */
static void stand_apart(const char *list)
{
    char *line = NULL;
    size_t size = 0;
    FILE *entrances = fopen(list, "re");
    while (entrances != NULL && next_line(entrances, &line, &size) != NULL)
        enter(line);
    if (entrances != NULL)
        fclose(entrances);
    free(line);
}

/* Does what an order says, in a process of its own. */
static _Noreturn void obey(char **words, int count)
{
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0)
        fail("cannot open", "/dev/null");
    close(nothing);
    if (strcmp(words[0], "try") == 0 && count > 9)
        try_files(words[1], words + 2);
    errno = EINVAL;
    if (strcmp(words[0], "hold") != 0 || count < 2)
        fail("cannot obey", words[0]);
    hold(words[1], count - 2, words + 2);
    _exit(0);
}

/* Obeys orders, each in a process of its own: `hold`, the run's folder and the marks, which is to be its shim; or `try`, the
 * run's folder, an account, and what is to be tried: directory, input, `append` or `truncate`, umask, outputs. A fork of this small
 * program is cheap, and what it forks has loaded nothing. It ends with its input, which is with the agent; the shims go on. */
static int serve(const char *apart)
{
    char *words[MOST_WORDS] = {0};
    size_t sizes[MOST_WORDS] = {0};
    if (setsid() < 0 && errno != EPERM)
        fail("cannot begin", "a session");
    stand_apart(apart);
    /* The kernel buries the shims. */
    signal(SIGCHLD, SIG_IGN);
    for (int count = next_order(words, sizes); count > 0; count = next_order(words, sizes)) {
        pid_t process = fork();
        if (process < 0 && count > 1)
            tell_unforked(words[1]);
        if (process == 0)
            obey(words, count);
    }
    return 0;
}

int main(int count, char **arguments)
{
    if (strcmp(arguments[0], TASK) == 0)
        be_task(count > 1);
    if (count == 3 && strcmp(arguments[1], "--serve") == 0)
        return serve(arguments[2]);
    if (count > 5 && strcmp(arguments[1], "--as") == 0)
        run_as(arguments + 2);
    if (count < MARKS) {
        fprintf(stderr, "usage: shim FOLDER [NAME=VALUE...] | shim --serve FILE | shim --as UID GID GROUPS COMMAND...\n");
        return 2;
    }
    hold(arguments[1], count - MARKS, arguments + MARKS);
    return 0;
}
