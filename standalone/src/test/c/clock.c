/* A wall clock that is wrong for one process: preloaded (LD_PRELOAD), it moves what the C library tells of CLOCK_REALTIME
 * by as many nanoseconds as a mapped file says, and so lets the clock jump while the process runs.
 *
 * The file is named like the port of the service's command line, `-Dquarkus.http.port=`, in the folder
 * BERTH_TEST_CLOCKS, and made there; a process without a port has the right clock. Monotonic clocks, the kernel's own waits for a time of the
 * day and the times of files stay as they are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PORT "-Dquarkus.http.port="

enum { SECOND = 1000000000, MICROSECOND = 1000, MOST_WORDS = 1 << 16 };

static const volatile int64_t *shift;

static int (*right_clock)(clockid_t, struct timespec *);

static void *resolved(void)
{
    return dlsym(RTLD_NEXT, "clock_gettime");
}

/* This process's file of its clock, by its command line; -1 if it has none. */
static int opened(const char *folder)
{
    static char words[MOST_WORDS];
    int line = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t size = line < 0 ? 0 : read(line, words, sizeof words - 1);
    if (line >= 0)
        close(line);
    for (const char *word = words; word < words + size; word += strlen(word) + 1)
        if (strncmp(word, PORT, strlen(PORT)) == 0) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", folder, word + strlen(PORT));
            return open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        }
    return -1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *folder = getenv("BERTH_TEST_CLOCKS");
    int file = folder == NULL ? -1 : opened(folder);
    if (file < 0)
        return;
    void *mapped = ftruncate(file, sizeof *shift) != 0 ? MAP_FAILED : mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED)
        shift = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (right_clock == NULL)
        right_clock = (int (*)(clockid_t, struct timespec *))resolved();
    int status = right_clock(clock, now);
    if (status == 0 && shift != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        int64_t moved = now->tv_sec * (int64_t)SECOND + now->tv_nsec + *shift;
        now->tv_sec = moved / SECOND;
        now->tv_nsec = moved % SECOND;
    }
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    struct timespec precise;
    int status = clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / MICROSECOND;
    return status;
}

time_t time(time_t *kept)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (kept != NULL)
        *kept = now.tv_sec;
    return now.tv_sec;
}
